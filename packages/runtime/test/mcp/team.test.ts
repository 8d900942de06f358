import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { createStage, eventsOf, script } from '../harness.ts';
import type { Played } from '../harness.ts';
import { declaredIn, startTeam } from '../running-team.ts';
import { until } from './bench.ts';
import { createOldHandler, listen } from './http-servers.ts';

const hostile = path.join(import.meta.dirname, '..', 'fixtures', 'mcp-hostile.ts');

const allow = 'permissions:\n  rules: [{allow: mcp.call}]\n';
const results = ({ events }: Played) => eventsOf(events, 'tool-result').map(({ result }) => result);

test('RT2: a server that comes up late in a session is used from the next request on', async () => {
  const gate = Promise.withResolvers<void>();
  const handler = createOldHandler();
  await using server = await listen((request, response) => {
    void gate.promise.then(() => handler(request, response));
  });
  await using stage = await createStage();
  const text = `agents:\n  - {name: main, instruction: Help., toolsets: [late]}\ntoolsets:\n  late: {type: mcp, url: "\${URL}"}\n${allow}`;
  await using run = await startTeam(stage, text, { URL: server.url });
  await run.play('hello');
  expect(declaredIn(stage.bodies.at(-1))).toEqual([]);
  gate.resolve();
  await until(() => run.team.servers()[0]?.state === 'ready');
  const played = await run.play(
    script({ tool: 'mcp__late__echo', input: { text: 'found' } }, { text: 'done' }),
  );
  expect(declaredIn(stage.bodies.at(-1))).toEqual(['mcp__late__echo', 'mcp__late__grow']);
  expect(results(played)).toMatchObject([{ outcome: 'completed', text: 'found' }]);
  expect(played.result).toMatchObject({ status: 'completed', text: 'done' });
});

test('RT2: a tool that comes in the middle of a turn is told to the model in the same turn', async () => {
  await using stage = await createStage();
  const [before, after] = [['act'], ['act', 'grown']].map((names) =>
    JSON.stringify(names.map((name) => ({ name, inputSchema: { type: 'object' } }))),
  );
  const server = {
    command: process.execPath,
    args: [hostile, 'change-first', before, after],
    startup: 'wait',
  };
  const text = `agents:\n  - {name: main, instruction: Help., toolsets: [web]}\ntoolsets:\n  web: ${JSON.stringify({ type: 'mcp', ...server })}\n${allow}`;
  await using run = await startTeam(stage, text, {});
  await run.play(script({ tool: 'mcp__web__act', input: {} }, { text: 'done' }));
  expect(stage.bodies.map(declaredIn)).toEqual([['mcp__web__act'], ['mcp__web__act', 'mcp__web__grown']]);
});

test('RT2: a sub-agent has the servers that it names, within its own rights', async () => {
  await using server = await listen(createOldHandler());
  await using stage = await createStage();
  const text = [
    'agents:',
    '  - {name: main, instruction: Help., subAgents: [helper]}',
    '  - {name: helper, instruction: Help more., toolsets: [web], permissions: {rules: [{deny: mcp.call, target: web/grow}]}}',
    'toolsets:',
    '  web: {type: mcp, url: "${URL}", startup: wait}',
    allow,
  ].join('\n');
  await using run = await startTeam(stage, text, { URL: server.url });
  const steps = [{ tool: 'mcp__web__echo', input: { text: 'helped' } }, { text: 'done' }];
  const task = `##${JSON.stringify(steps)}##`;
  const played = await run.play(
    script({ tool: 'hand_off_to_helper', input: { task } }, { text: 'all done' }),
  );
  expect(results(played).map(({ text: said }) => said)).toEqual(['helped', 'done']);
  expect(stage.bodies.map(declaredIn).slice(0, 2)).toEqual([['hand_off_to_helper'], ['mcp__web__echo']]);
});

test('case 95: what the agent denies is neither offered nor called, and what nobody named is asked for', async () => {
  await using server = await listen(createOldHandler());
  await using stage = await createStage();
  const text = [
    'agents:',
    '  - {name: main, instruction: Help., toolsets: [web]}',
    'toolsets:',
    '  web: {type: mcp, url: "${URL}", startup: wait}',
    'permissions:',
    '  rules: [{deny: mcp.call, target: web/grown}, {allow: mcp.call, target: web/grow}]',
  ].join('\n');
  await using run = await startTeam(stage, text, { URL: server.url });
  await run.play(script({ tool: 'mcp__web__grow', input: {} }, { text: 'done' }));
  await until(() => run.team.servers()[0]?.tools.offered === 3);
  const played = await run.play(
    script(
      { tool: 'mcp__web__grown', input: {}, force: true },
      { tool: 'mcp__web__echo', input: { text: 'x' } },
      { text: '' },
    ),
  );
  expect(declaredIn(stage.bodies.at(-1))).toEqual(['mcp__web__echo', 'mcp__web__grow']);
  expect(results(played).map(({ outcome }) => outcome)).toEqual(['unknown-tool', 'denied']);
});

test('a dead server stalls no turn, and its tools stay in the request (case 123)', async () => {
  const server = await listen(createOldHandler());
  await using stage = await createStage();
  const text = `agents:\n  - {name: main, instruction: Help., toolsets: [web]}\ntoolsets:\n  web: {type: mcp, url: "\${URL}", startup: wait, restart: never}\n${allow}`;
  await using run = await startTeam(stage, text, { URL: server.url });
  await server.close();
  const call = { tool: 'mcp__web__echo', input: { text: 'x' } };
  const played = await run.play(script(call, { text: 'done' }));
  expect(results(played)).toMatchObject([{ outcome: 'failed' }]);
  await until(() => run.team.servers()[0]?.state === 'failed');
  const next = await run.play(script({ ...call, input: { text: 'y' } }, { text: 'done' }));
  expect(results(next)).toMatchObject([{ outcome: 'failed', text: expect.stringContaining('is failed') }]);
  expect(declaredIn(stage.bodies.at(-1))).toEqual(['mcp__web__echo', 'mcp__web__grow']);
  expect(run.warnings.join()).toContain('MCP server web');
});
