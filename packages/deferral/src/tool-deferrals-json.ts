import type { LateTool, LoadPoint, ToolDeferrals } from './tool-deferrals.ts';

/** The state as JSON text; `parseToolDeferrals` gives it back without loss (D8). */
export function serialiseToolDeferrals({ definitions, ...state }: ToolDeferrals): string {
  return JSON.stringify({ version: 1, ...state, definitions: [...definitions] });
}

/** Reads what `serialiseToolDeferrals` wrote; `undefined` for any other text (DP4). */
export function parseToolDeferrals(text: string): ToolDeferrals | undefined {
  const read = parse(text);
  if (!isObject(read) || read['version'] !== 1) return undefined;
  const { baseline, startedAt, late, definitions } = read;
  if (baseline !== undefined && !isListOf(baseline, isText)) return undefined;
  if (startedAt !== undefined && !isText(startedAt)) return undefined;
  if (!isListOf(late, isLateTool) || !isListOf(definitions, isDefinition)) return undefined;
  return { baseline, startedAt, late, definitions: new Map(definitions) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isLateTool(value: unknown): value is LateTool {
  return isObject(value) && isText(value['name']) && isLoadPoint(value['at']);
}

function isLoadPoint(value: unknown): value is LoadPoint {
  if (!isObject(value)) return false;
  return value['type'] === 'call'
    ? isText(value['callId'])
    : value['type'] === 'message' && isText(value['messageId']);
}

function isDefinition(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(isText);
}
