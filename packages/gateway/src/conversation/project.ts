import { createHmac } from 'node:crypto';
import path from 'node:path';
import type { IncomingHttpHeaders } from 'node:http';
import type { MessagesOutline, Span } from '@quartermaster/wire';
import type { Client } from '../clients/table.ts';
import { dropOldest } from '../drop-oldest.ts';
import { detach, textOf } from '../latin1.ts';

interface Request {
  readonly client: Client;
  readonly headers: IncomingHttpHeaders;
  readonly outline: MessagesOutline;
  readonly text: string;
}

/** A project's name for what a request states of it: a salted hash with the base name. */
export type NameProject = (stated: string) => string;

/** A folder is stated in each of its requests, which is more often than a hash is worth. */
const maxNames = 256;

export function createProjectNames(salt: string): NameProject {
  const names = new Map<string, string>();
  return (stated) => {
    const known = names.get(stated);
    if (known !== undefined) return known;
    const hash = createHmac('sha256', salt).update(stated).digest('hex').slice(0, 16);
    const name = `${hash} ${path.basename(stated)}`;
    names.set(detach(stated), name);
    dropOldest(names, maxNames);
    return name;
  };
}

/**
 * The project of a request: by the client's working directory, or by the header `x-quartermaster-project`; `none` where
 * neither is stated.
 */
export function projectOf(request: Request, nameProject: NameProject): string {
  const stated = workingDirectoryOf(request) ?? request.headers['x-quartermaster-project'];
  return typeof stated !== 'string' || stated === '' ? 'none' : nameProject(stated);
}

function workingDirectoryOf({ client, outline, text }: Request): string | undefined {
  const { workingDirectoryLabel: label, workingDirectoryEnd: end } = client;
  if (label === undefined) return undefined;
  for (const span of placesOfEnvironment(outline, client.workingDirectoryIn)) {
    const line = lineAfter(label, text.slice(span.start, span.end));
    const folder = line?.slice(0, pathLength(line, end));
    if (folder !== undefined && folder !== '') return folder;
  }
  return undefined;
}

/** Only where the client itself speaks: a user's own text could hold the same line. */
function placesOfEnvironment(
  { system, messages }: MessagesOutline,
  place: Client['workingDirectoryIn'],
): readonly Span[] {
  if (place === 'system') return system === undefined ? [] : [system.span];
  const items = messages?.items ?? [];
  const fromClient = items.filter((message) => message.role === 'system').map((message) => message.span);
  const [opening] = items[0]?.content.blocks ?? [];
  return opening === undefined ? fromClient : [...fromClient, opening.span];
}

/** How much of a line is the path: all of it where nothing ends it before. */
function pathLength(line: string, end: string | undefined): number {
  const at = end === undefined ? -1 : line.indexOf(end);
  return at === -1 ? line.length : at;
}

/** The rest of the line that begins with `label` in a JSON text: up to an escaped newline or the string's end. */
function lineAfter(words: string, json: string): string | undefined {
  const label = JSON.stringify(words).slice(1, -1);
  for (let at = json.indexOf(label); at !== -1; at = json.indexOf(label, at + 1)) {
    const isLineStart = json[at - 1] === '"' || json.endsWith('\\n', at);
    const rest = /^(?:[^"\\]|\\[^n])+/.exec(json.slice(at + label.length, at + label.length + 8192))?.[0];
    if (isLineStart && rest !== undefined) return String(JSON.parse(`"${textOf(rest)}"`));
  }
  return undefined;
}
