import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { StopReason, TokenUsage } from '@quartermaster/agent/messages';
import type { Answerer } from '../answerer.ts';
import { memberOf, textOf } from '../json.ts';
import type { ModelEvent } from '../language-model.ts';
import { addTokenUsage, toTokenUsage } from '../token-usage.ts';
import { AnswerError } from '../vendor-call.ts';
import { readAnthropicStream } from './read-stream.ts';
import type { AnswerPart } from './read-stream.ts';

/** Sends the question with what was answered so far, and gives the stream of what follows. */
export type AskOn = (said: readonly AnswerPart[]) => Promise<AsyncIterable<RawMessageStreamEvent>>;

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool-calls',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'context-overflow',
  refusal: 'refusal',
};

/** More pauses than this are no work any more. */
const maxPauses = 10;

/**
 * The events of one answer, in as many requests as it takes: the API pauses a long turn of its own tools, and goes on
 * where the turn is sent back (§1.12 of the wire contract). An answer that the window cut before anything of it could be
 * shown is an overflow like any other. Throws `AnswerError`, and what the SDK throws.
 */
export async function* readAnthropicAnswer(
  askOn: AskOn,
  { provider, id, known }: Answerer,
): AsyncGenerator<ModelEvent> {
  let content: readonly AnswerPart[] = [];
  let usage: TokenUsage | undefined;
  for (let pauses = 0; ; pauses += 1) {
    const answer = yield* readAnthropicStream(await askOn(content));
    content = [...content, ...answer.content];
    const told = toTokenUsage(answer.usage, known);
    usage = usage === undefined ? told : addTokenUsage(usage, told);
    if (answer.stop === 'pause_turn' && pauses < maxPauses) continue;
    const stopReason = stopReasons[answer.stop] ?? 'other';
    if (stopReason === 'context-overflow' && !content.some(isShown)) {
      throw new AnswerError('PROVIDER_CONTEXT_OVERFLOW', 'the window was full before the answer began');
    }
    const message = { role: 'assistant' as const, content, model: { provider, id }, stopReason };
    const found = content.flatMap(foundIn);
    yield { type: 'finished', message, usage, ...(found.length > 0 && { found }) };
    return;
  }
}

/** Names in a result of the server's search; its blocks are kept as parts of the reasoning. */
function foundIn({ providerData }: AnswerPart): readonly string[] {
  const content = memberOf(providerData?.data, 'content');
  const references = memberOf(content, 'tool_references');
  if (!Array.isArray(references)) return [];
  return references.flatMap((reference) => textOf(memberOf(reference, 'tool_name')) ?? []);
}

function isShown(part: AnswerPart): boolean {
  return part.type !== 'tool-call' && part.text !== '';
}
