import type { Message } from '@quartermaster/agent/messages';
import type { Transcript, TranscriptMessage } from './transcript.ts';

/** A page by itself: nothing is loaded, nothing runs, and whatever a session holds is shown as text. */
export function formatHtml(transcript: Transcript): string {
  const title = escape(transcript.session.title || transcript.session.session);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${formatBody(transcript)}
</body>
</html>
`;
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
article { border-left: 4px solid #bbb; padding: 0 0 0 1rem; margin: 1rem 0; }
article.user { border-color: #2b6cb0; } article.assistant { border-color: #2f855a; }
h2 { font-size: 0.8rem; color: #666; font-weight: 600; margin: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.25rem 0; font: inherit; }
.call pre, .result pre, details pre { font: 0.85rem/1.4 ui-monospace, monospace; }
`;

function formatBody({ messages, errors, subSessions }: Transcript): string {
  const within = new Map(subSessions.map(({ callId, transcript }) => [callId, transcript]));
  return [
    ...messages.map((message) => formatMessage(message, within)),
    ...errors.map(
      ({ code, message }) => `<article class="error"><h2>error ${escape(code)}</h2>${pre(message)}</article>`,
    ),
  ].join('\n');
}

function formatMessage(
  { message, agent, atMs }: TranscriptMessage,
  subSessions: ReadonlyMap<string, Transcript>,
): string {
  const who = message.role === 'user' ? 'user' : `${message.role} ${agent}`;
  const time = new Date(atMs).toISOString();
  return `<article class="${message.role}"><h2>${escape(who)} · ${time}</h2>${formatParts(message, subSessions)}</article>`;
}

function formatParts(message: Message, subSessions: ReadonlyMap<string, Transcript>): string {
  if (message.role === 'tool') {
    const results = message.results.map(({ name, outcome, text, callId }) => {
      const inner = subSessions.get(callId);
      const below = inner === undefined ? '' : details(`sub-session of ${name}`, formatBody(inner));
      return `<div class="result">${details(`${name}: ${outcome}`, pre(text))}${below}</div>`;
    });
    return results.join('');
  }
  return message.content
    .map((part) => {
      if (part.type === 'text') return pre(part.text);
      if (part.type === 'reasoning') return part.text === '' ? '' : details('reasoning', pre(part.text));
      return `<div class="call">${pre(`${part.name} ${JSON.stringify(part.input, undefined, 2)}`)}</div>`;
    })
    .join('');
}

function details(summary: string, html: string): string {
  return `<details><summary>${escape(summary)}</summary>${html}</details>`;
}

function pre(text: string): string {
  return `<pre>${escape(text)}</pre>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
