import { expect, test } from 'vitest';
import { createToolRegistry } from '@quartermaster/agent';
import { readHost } from '@quartermaster/agent/services';
import { createToolsetRegistrar } from '@quartermaster/runtime/toolsets';
import { plainToolsets, toolsetSchema } from '../src/agent-file/toolset-schema.ts';
import { toolsetCapabilities } from '../src/team/toolset-capabilities.ts';
import { createStage } from './harness.ts';
import { startTeam } from './running-team.ts';

test('case 97: a rule about a capability that no toolset asks for is told, with its line and the nearest', async () => {
  await using stage = await createStage();
  const text = `
agents:
  - name: main
    instruction: Help.
    permissions: {rules: [{deny: shel.run}]}
permissions:
  rules: [{deny: filesystm.write}, {deny: mcp.call}, {allow: 'memory.*'}]`;
  await using run = await startTeam(stage, text);
  expect(run.warnings).toEqual([
    expect.stringMatching(
      /agent\.yaml:7: no tool uses filesystm\.write, .* Did you mean filesystem\.write\?$/,
    ),
    expect.stringMatching(/agent\.yaml:5: no tool uses shel\.run, .* Did you mean shell\.run\?$/),
  ]);
});

test('case 97: every capability of every toolset is known', async () => {
  const registry = createToolRegistry();
  const warn = () => undefined;
  const register = createToolsetRegistrar(registry, {
    workspace: '/tmp',
    base: '/tmp',
    host: readHost(),
    fetch,
    warn,
  });
  const configs = [...plainToolsets.map((type) => ({ type })), { type: 'skills', folders: ['none'] }];
  const used = new Set<string>(['mcp.call']);
  for (const config of configs.map((each) => toolsetSchema.parse(each))) {
    if (config.type === 'mcp') continue;
    const { tools } = await register({ name: config.type, config });
    for (const { capabilities = [] } of tools) {
      if (capabilities !== 'exempt') capabilities.forEach(({ capability }) => used.add(capability));
    }
  }
  expect([...used].toSorted()).toEqual(toolsetCapabilities.toSorted());
});
