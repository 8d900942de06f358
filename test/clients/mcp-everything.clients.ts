import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { createStage, eventsOf, script } from '../../packages/runtime/test/harness.ts';
import type { Loose } from '../../packages/runtime/test/harness.ts';
import { until } from '../../packages/runtime/test/mcp/bench.ts';
import { declaredIn, startTeam } from '../../packages/runtime/test/running-team.ts';
import { installClient } from './install.ts';
import type { ClientInstall, ClientUnavailable } from './install.ts';
import { installTimeoutMs, requireClient } from './stage.ts';

let install: ClientInstall | ClientUnavailable | undefined;

beforeAll(async () => {
  install = await installClient({
    name: "The protocol's reference server",
    packages: ['@modelcontextprotocol/server-everything@2026.8.31'],
  });
}, installTimeoutMs);

test('RT2, D10, D12: the reference server comes up late in a session, is deferred, found and used, and a restart changes no byte', async (context) => {
  const server = requireClient(install, context).bin('mcp-server-everything');
  await using stage = await createStage();
  // It starts when somebody writes into the pipe.
  const gate = path.join(stage.folder, 'gate');
  await promisify(execFile)('mkfifo', [gate]);
  const toolset = {
    type: 'mcp',
    command: 'sh',
    args: ['-c', 'read line < "$0"; exec "$1" stdio', gate, server],
    env: ['HOME'],
  };
  const agents = 'agents:\n  - {name: main, instruction: Help., toolsets: [everything]}\n';
  const rules = 'permissions:\n  rules: [{allow: mcp.call, target: everything/*}]\n';
  const text = `${agents}toolsets:\n  everything: ${JSON.stringify(toolset)}\n${rules}`;
  const run = await startTeam(stage, text, { HOME: stage.folder });

  await run.play('hello');
  expect(stage.bodies.map(declaredIn)).toEqual([[]]);
  await (await open(gate, 'w')).close();
  await until(() => run.team.servers()[0]?.state !== 'starting');
  const [status] = run.team.servers();
  expect({ status, warnings: run.warnings }).toMatchObject({ status: { state: 'ready' }, warnings: [] });
  expect(status?.tools.offered).toBe(status?.tools.listed);

  const { events, result } = await run.play(
    script(
      { tool: 'mcp__everything__echo', input: { message: 'from afar' } },
      { tool: 'mcp__everything__get-sum', input: { a: 2, b: 40 } },
      { tool: 'mcp__everything__get-tiny-image', input: {} },
      { tool: 'mcp__everything__get-structured-content', input: { location: 'New York' } },
      { text: 'done' },
    ),
  );
  const results = eventsOf(events, 'tool-result').map(({ result: each }) => each);
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
  expect(results[0]?.text).toBe('Echo: from afar');
  expect(results[1]?.text).toContain('42');
  expect(results[2]?.text).toContain('[image, image/png');
  expect(results[3]?.text).toContain('temperature');
  expect(result).toMatchObject({ status: 'completed', text: 'done' });

  const isDeferred = ({ name, defer_loading: deferred }: Loose): boolean =>
    name.startsWith('mcp__') && deferred === true;
  expect(stage.bodies[1].tools.filter(isDeferred).length).toBe(status?.tools.offered);
  await run.play('and now?');
  const before = stage.bodies.at(-1);
  await run[Symbol.asyncDispose]();
  await stage.reopen();
  // Its server has not come up again yet.
  await using again = await startTeam(stage, text, { HOME: stage.folder });
  await again.play('and then?');
  const after = stage.bodies.at(-1);
  expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools));
  expect(unmarked(after.messages).startsWith(unmarked(before.messages).slice(0, -1))).toBe(true);
  expect(stage.simulator.requests().some(({ brokenBinding }) => brokenBinding)).toBe(false);
});

/** Cache marks are no part of the prompt. */
function unmarked(messages: Loose): string {
  return JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
}
