import type { ToolDeclaration } from '@quartermaster/providers';
import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../src/runtime-error.ts';
import { measureFixedCost, requireRoom } from '../src/turn/fixed-cost.ts';

/** Thirteen servers with eighty tools of five thousand characters each. */
const tools = Array.from({ length: 13 * 80 }, (_, index): ToolDeclaration => ({
  name: `mcp__server${index % 13}__tool_${index}`,
  description: 'x'.repeat(5_000),
  inputSchema: { type: 'object' },
}));

const serverOf = (name: string): string | undefined => /^mcp__(.+?)__/.exec(name)?.[1];
const room = { model: 'm1', contextTokens: 100_000, compactAtShare: 0.9 };

function refusalOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'RUNTIME_TOOLS_TOO_LARGE') return error.message;
    throw error;
  }
  return 'none';
}

describe('what a prompt takes before its first message', () => {
  test('case 39: is measured by system prompt and by toolset, the largest first', () => {
    const more = { name: 'mcp__server7__more', description: 'x'.repeat(400), inputSchema: {} };
    const alone = { name: 'shell', description: 'Run.', inputSchema: {} };
    const cost = measureFixedCost({
      system: 'x'.repeat(4_000),
      tools: [alone, ...tools, more],
      toolsetOf: serverOf,
    });
    expect(cost.systemTokens).toBe(1_000);
    expect(cost.toolTokens).toBeGreaterThan(13 * 80 * 1_250);
    expect(cost.toolTokens).toBe(cost.toolsets.reduce((total, { tokens }) => total + tokens, 0));
    expect(cost.toolsets).toHaveLength(14);
    expect(cost.toolsets[0]?.name).toBe('server7');
    expect(cost.toolsets.at(-1)).toEqual({ name: 'shell', tokens: 3 });
  });

  test('case 39: a catalogue takes nothing', () => {
    const waiting = tools.map((tool) => ({ ...tool, isSearchOnly: true }));
    const cost = measureFixedCost({ system: '', tools: waiting, toolsetOf: serverOf });
    expect(cost).toEqual({ systemTokens: 0, toolTokens: 0, toolsets: [] });
  });

  test('case 39: is refused where no compaction could help, with the toolsets to take away', () => {
    const cost = measureFixedCost({ system: 'You help.', tools, toolsetOf: serverOf });
    const message = refusalOf(() => requireRoom(cost, room));
    expect(message).toContain('m1 takes 100000 tokens');
    expect(message).toMatch(
      /The largest toolsets: server\d+ \(\d+\), server\d+ \(\d+\), server\d+ \(\d+\)\./,
    );
    expect(message).toContain('defer: true');
    expect(message).not.toContain('You help.');
  });

  test('is fine below the share at which a session is compacted', () => {
    const cost = { systemTokens: 10_000, toolTokens: 79_999, toolsets: [] };
    expect(refusalOf(() => requireRoom(cost, room))).toBe('none');
    expect(refusalOf(() => requireRoom({ ...cost, toolTokens: 80_000 }, room))).not.toBe('none');
  });
});
