import type { ToolDeclaration } from '@quartermaster/providers';
import { RuntimeError } from '../runtime-error.ts';
import { estimateTextTokens } from './estimate-tokens.ts';

/** What a prompt takes before the first message in it. */
export interface FixedCost {
  readonly systemTokens: number;
  readonly toolTokens: number;
  /** By toolset, the largest first; equally large ones by name. */
  readonly toolsets: readonly { readonly name: string; readonly tokens: number }[];
}

/** What stands in each prompt of an agent. */
export interface FixedParts {
  readonly system: string;
  readonly tools: readonly ToolDeclaration[];
  /** Of a tool, by its name: the toolset or server that a person would take it away by. Default: the tool itself. */
  readonly toolsetOf: (tool: string) => string | undefined;
}

/** Estimates it, apart from the conversation (case 39). What waits in a catalogue takes nothing. */
export function measureFixedCost({ system, tools, toolsetOf }: FixedParts): FixedCost {
  const byToolset = new Map<string, number>();
  for (const { name, description, inputSchema, isSearchOnly } of tools) {
    if (isSearchOnly === true) continue;
    const tokens = estimateTextTokens(name + description + JSON.stringify(inputSchema));
    const toolset = toolsetOf(name) ?? name;
    byToolset.set(toolset, (byToolset.get(toolset) ?? 0) + tokens);
  }
  const toolsets = [...byToolset].map(([name, tokens]) => ({ name, tokens })).toSorted(bySize);
  return {
    systemTokens: estimateTextTokens(system),
    toolTokens: toolsets.reduce((total, { tokens }) => total + tokens, 0),
    toolsets,
  };
}

type Toolset = FixedCost['toolsets'][number];

function bySize(left: Toolset, right: Toolset): number {
  if (left.tokens !== right.tokens) return right.tokens - left.tokens;
  return left.name < right.name ? -1 : 1;
}

/** The model that a prompt is for. */
export interface PromptRoom {
  readonly model: string;
  /** Tokens that prompt and answer may have together. */
  readonly contextTokens: number;
  /** 0–1: how full it may be before a session is compacted. */
  readonly compactAtShare: number;
}

const maxNamedToolsets = 3;

/**
 * Throws `RUNTIME_TOOLS_TOO_LARGE` where system prompt and tools alone take what a session is compacted at: no compaction
 * could help, so none is tried, and whoever reads it learns what to take away (case 39).
 */
export function requireRoom(cost: FixedCost, { model, contextTokens, compactAtShare }: PromptRoom): void {
  const tokens = cost.systemTokens + cost.toolTokens;
  const most = Math.floor(contextTokens * compactAtShare);
  if (tokens < most) return;
  const largest = cost.toolsets
    .slice(0, maxNamedToolsets)
    .map(({ name, tokens: own }) => `${name} (${own})`)
    .join(', ');
  throw new RuntimeError(
    'RUNTIME_TOOLS_TOO_LARGE',
    `Expected system prompt and tools to leave room for a conversation: ${model} takes ${contextTokens} tokens, and they ` +
      `take about ${cost.systemTokens} and ${cost.toolTokens}. The largest toolsets: ${largest || 'none'}. ` +
      'Set defer: true on them, take some away, or use a model with a larger context.',
  );
}
