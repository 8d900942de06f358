import type { BodyTool } from './anthropic-body.ts';

/** Tools of our own making: two that every session uses, twelve of different weight that none does, one light. */
export const ledgerTools: readonly BodyTool[] = [
  declaredTool('Read', 6),
  ...['Archive', 'Broadcast', 'Calendar', 'Dispatch', 'Estimate', 'Forecast'].map((name, index) =>
    declaredTool(name, 10 + 4 * index),
  ),
  declaredTool('Write', 6),
  ...['find', 'merge', 'export'].map((name, index) => declaredTool(`mcp__crm__${name}`, 9 + 3 * index)),
  ...['open', 'close'].map((name) => declaredTool(`mcp__desk__${name}`, 8)),
  declaredTool('Invoice', 18),
  declaredTool('Clock', 0),
];

/** A tool with so many arguments; each adds about 25 o200k tokens. */
export function declaredTool(name: string, options: number): BodyTool {
  const properties = Object.fromEntries(
    Array.from({ length: options }, (_, index) => [
      `${name.toLowerCase()}_option_${index}`,
      {
        type: 'string',
        description: `What ${name} is to do in its step number ${index}, in words of your own.`,
      },
    ]),
  );
  return {
    name,
    description: `Does the work of ${name} for whoever asks.`,
    input_schema: { type: 'object', properties },
  };
}
