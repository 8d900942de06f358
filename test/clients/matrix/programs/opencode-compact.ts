// Has opencode compact a session, which it does on its server only: starts one, asks it, and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [opencode = '', session = '', model = ''] = process.argv.slice(2);
const server = spawn(opencode, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const url = await listeningAt(server.stdout);
  const summarize = new URL(`/session/${session}/summarize`, url);
  summarize.searchParams.set('directory', process.cwd());
  const answer = await fetch(summarize, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ providerID: 'anthropic', modelID: model }),
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  if (!answer.ok) process.exitCode = 1;
} finally {
  server.kill();
  await once(server, 'exit');
}

async function listeningAt(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('opencode ended before it listened.');
}
