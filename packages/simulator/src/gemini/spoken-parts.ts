import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { seal } from '../seal.ts';
import type { Step } from '../script.ts';
import { speak } from '../spoken-turn.ts';
import type { GeminiRequest } from './request.ts';

/** What the model says in one response. */
export interface SpokenParts {
  readonly parts: readonly JsonObject[];
  readonly finishReason: string;
  /** Billed, shown only where the request asks for thoughts. */
  readonly thought: string;
}

/** A script's words for the API's own; others go out as they are. */
const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
  tool_use: 'STOP',
};

/** Says a step as parts: a thought, a text, then the calls, the first of which holds the signature of the thought. */
export function sayParts(request: GeminiRequest, step: Step, ids: (prefix: string) => string): SpokenParts {
  const { thinkingConfig, functionCalling } = request;
  const isThinking = Object.keys(thinkingConfig).length > 0 && thinkingConfig['thinkingBudget'] !== 0;
  const turn = speak(step, {
    isThinking,
    maxCalls: functionCalling.mode === 'NONE' ? 0 : Infinity,
    canCall: (name) => mayCall(name, request),
  });
  const thought = turn.thought ?? '';
  const finishReason = finishReasons[step.stop ?? 'end_turn'] ?? step.stop ?? 'STOP';
  const isSigned = request.model.signsCalls || thought !== '';
  const signature = isSigned ? { thoughtSignature: seal(thought) } : {};
  if (step.blocks !== undefined)
    return { parts: signFirstCall(step.blocks, signature), finishReason, thought };
  const isShown = thinkingConfig['includeThoughts'] === true && thought !== '';
  return {
    parts: [
      ...(isShown ? [{ text: thought, thought: true }] : []),
      ...(turn.text === undefined
        ? []
        : [{ text: turn.text, ...(turn.calls.length === 0 ? signature : {}) }]),
      ...turn.calls.map(({ tool, input }, index) => ({
        functionCall: { ...(request.model.signsCalls ? { id: ids('call_') } : {}), name: tool, args: input },
        ...(index === 0 ? signature : {}),
      })),
    ],
    finishReason,
    thought,
  };
}

/** Parts as the script wrote them; a signature that the first call lacks is made up. */
function signFirstCall(parts: readonly JsonObject[], signature: JsonObject): readonly JsonObject[] {
  const first = parts.findIndex((part) => part['functionCall'] !== undefined);
  return parts.map((part, index) => (index === first ? { ...signature, ...part } : part));
}

/** The function that the mode forces. */
export function forcedFunction({ functionCalling, declarations }: GeminiRequest): string | undefined {
  if (functionCalling.mode !== 'ANY') return undefined;
  return functionCalling.allowed?.[0] ?? declarations[0]?.name;
}

/** What is billed of a part as the answer's own. */
export function saidIn(part: JsonObject): string {
  if (part['thought'] === true) return '';
  const call = part['functionCall'];
  if (isObject(call)) return `${String(call['name'])} ${JSON.stringify(call['args'] ?? {})}`;
  return textOf(part['text']) ?? '';
}

function mayCall(name: string, { declarations, functionCalling }: GeminiRequest): boolean {
  const isDeclared = declarations.some((declaration) => declaration.name === name);
  return isDeclared && functionCalling.allowed?.includes(name) !== false;
}
