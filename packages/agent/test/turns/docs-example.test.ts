import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

test('the example of docs/agent.md runs, and prints what it says', async () => {
  const page = await readFile(`${root}docs/agent.md`, 'utf8');
  const [, section = ''] = page.split('## Turns');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(section) ?? [];
  const options = ['--conditions=quartermaster-source', '--input-type=module-typescript', '-e', example];
  const child = spawn(process.execPath, options, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await text(child.stdout)).toBe('text-delta\nturn-end\ncompleted hello hello\n');
});
