import type { ToolOutcome } from '@quartermaster/agent/engine';
import type { ToolCallPart, ToolResult } from '@quartermaster/agent/messages';

/** About 10,000 tokens. */
export const defaultMaxResultCharacters = 40_000;

/** What the model reads of an outcome, cut to `maxCharacters` with a note of what was left out (RT4). */
export function toResult(
  { callId, name }: Pick<ToolCallPart, 'callId' | 'name'>,
  outcome: ToolOutcome,
  { maxCharacters }: { readonly maxCharacters: number },
): ToolResult {
  const { type, text } = describe(outcome);
  return { callId, name, outcome: type, text: cut(text, maxCharacters) };
}

function describe(outcome: ToolOutcome): { readonly type: ToolOutcome['type']; readonly text: string } {
  switch (outcome.type) {
    case 'completed':
      return describeOutput(outcome.output);
    case 'denied':
      return { type: 'denied', text: `This call was not allowed: ${outcome.reason}` };
    case 'invalid-input':
      return { type: 'invalid-input', text: `The input does not fit: ${outcome.reason}` };
    case 'failed':
      return { type: 'failed', text: `The tool failed: ${messageOf(outcome.error)}` };
  }
}

function describeOutput(output: unknown): ReturnType<typeof describe> {
  if (typeof output === 'string') return { type: 'completed', text: output };
  try {
    return { type: 'completed', text: JSON.stringify(output) ?? '' };
  } catch (error) {
    return { type: 'failed', text: `The tool gave something that is no JSON: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const kept = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, ''); // never half of a character
  return `${kept}\n\n[${text.length - kept.length} of ${text.length} characters were left out. Ask for less at a time.]`;
}
