import { hash } from 'node:crypto';
import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { foldPrompt } from '../prompt.ts';
import type { FlatPrompt, PromptPiece } from '../prompt.ts';
import type { TokenCounter } from '../token-counter.ts';
import type { GeminiRequest } from './request.ts';

/** What the model reads: functions, the system's instruction, then the contents, a piece a part. */
export function renderGemini(request: GeminiRequest, countTokens: TokenCounter): FlatPrompt {
  const { model, declarations, hostedTools, systemParts, contents } = request;
  const tools = [...declarations.map((declaration) => declaration.definition), ...hostedTools];
  return foldPrompt(
    model.id,
    [
      ...tools.map((tool): PromptPiece => ({ kind: 'tool', tag: '', text: JSON.stringify(tool) })),
      ...systemParts.map((part): PromptPiece => ({ kind: 'system', tag: '', text: renderPart(part) })),
      ...contents.flatMap(({ role, parts }) =>
        parts.map((part): PromptPiece => ({ kind: 'message', tag: role, text: renderPart(part) })),
      ),
    ],
    countTokens,
  );
}

/** A thought's signature stands for the thought itself, which the model does not read again. */
function renderPart({ thoughtSignature: _, ...part }: JsonObject): string {
  const text = textOf(part['text']);
  if (text !== undefined) return part['thought'] === true ? '' : text;
  const { functionCall: call, functionResponse: response } = part;
  if (isObject(call)) return `${String(call['name'])} ${JSON.stringify(call['args'] ?? {})}`;
  if (isObject(response)) return `${String(response['name'])} ${JSON.stringify(response['response'] ?? {})}`;
  return JSON.stringify(part, hideBytes);
}

function hideBytes(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? hash('sha256', value) : value;
}
