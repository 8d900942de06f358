import { expect, test } from 'vitest';
import { createToolRegistry } from '@quartermaster/agent';
import { assembleTools } from '@quartermaster/agent/engine';
import { registerEcho } from './tools.ts';

test('2,000 tools are assembled in less than 20 ms', () => {
  const registry = createToolRegistry();
  const tools = Array.from({ length: 2_000 }, (_, index) => registerEcho(registry, `tool_${index}`));
  const references = tools.map((tool, index) => (index % 2 === 0 ? tool : tool.name));
  const times = Array.from({ length: 20 }, () => {
    const startedMs = performance.now();
    expect(assembleTools(registry, references, { backend: 'runtime' }).tools).toHaveLength(2_000);
    return performance.now() - startedMs;
  });
  expect(Math.min(...times)).toBeLessThan(20);
});
