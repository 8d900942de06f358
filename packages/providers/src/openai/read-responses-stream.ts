import type { AssistantMessage, StopReason } from '@quartermaster/agent/messages';
import { readOpenAiUsage } from '@quartermaster/wire';
import type {
  Response,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import type { Answerer } from '../answerer.ts';
import { toJson } from '../json.ts';
import type { ModelEvent } from '../language-model.ts';
import { toTokenUsage } from '../token-usage.ts';
import { AnswerError } from '../vendor-call.ts';
import { readArguments } from './arguments.ts';
import { codeOfOpenAi } from './read-refusal.ts';

type Part = AssistantMessage['content'][number];

/**
 * The events of a Responses stream. An answer is whole at `response.completed` or `response.incomplete`, and not
 * before. Throws `AnswerError`, and what the SDK throws.
 */
export async function* readResponsesStream(
  stream: AsyncIterable<ResponseStreamEvent>,
  answerer: Answerer,
): AsyncGenerator<ModelEvent> {
  const items = new Map<number, ResponseOutputItem>();
  for await (const event of stream) {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (event.delta !== '') yield { type: 'text-delta', text: event.delta };
        break;
      case 'response.reasoning_summary_part.added':
        if (event.summary_index > 0) yield { type: 'reasoning-delta', text: '\n\n' };
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        if (event.delta !== '') yield { type: 'reasoning-delta', text: event.delta };
        break;
      case 'response.output_item.done':
        items.set(event.output_index, event.item);
        break;
      case 'response.completed':
      case 'response.incomplete':
        yield finish(event.response, items, answerer);
        return;
      case 'response.failed':
        throw explainFailure(event.response);
      default:
    }
  }
  throw new AnswerError('PROVIDER_STREAM_BROKEN', 'the stream ended before response.completed');
}

function explainFailure({ error }: Response): AnswerError {
  const said = error?.message ?? 'the response failed without a reason';
  return new AnswerError(codeOfOpenAi(error?.code, said) ?? 'PROVIDER_BAD_REQUEST', said);
}

/** The items as each was done; what was still being said when the answer was cut stands in the last event alone. */
function finish(
  response: Response,
  done: ReadonlyMap<number, ResponseOutputItem>,
  { provider, id, known }: Answerer,
): ModelEvent {
  const inOrder = [...done].toSorted(([left], [right]) => left - right).map(([, item]) => item);
  const output = response.output.length > inOrder.length ? response.output : inOrder;
  const content = output.flatMap(toPart);
  return {
    type: 'finished',
    message: {
      role: 'assistant',
      content,
      model: { provider, id },
      stopReason: stopReasonOf(response, output),
    },
    usage: toTokenUsage(readOpenAiUsage(response.usage, response.service_tier), known),
  };
}

function stopReasonOf(
  { status, incomplete_details: details }: Response,
  output: readonly ResponseOutputItem[],
): StopReason {
  if (status === 'incomplete') {
    if (details?.reason === 'max_output_tokens') return 'max-tokens';
    return details?.reason === 'content_filter' ? 'refusal' : 'other';
  }
  if (output.some(({ type }) => type === 'function_call')) return 'tool-calls';
  return output.some(isRefusal) ? 'refusal' : 'end';
}

function isRefusal(item: ResponseOutputItem): boolean {
  return item.type === 'message' && item.content.some(({ type }) => type === 'refusal');
}

/** What the server did by itself has no words of ours: it is kept whole, like a thought that is not shown. */
function toPart(item: ResponseOutputItem): readonly Part[] {
  switch (item.type) {
    case 'message':
      return toText(item);
    case 'function_call': {
      const { type: _, call_id: callId, name, arguments: written, ...rest } = item;
      const { input, kept } = readArguments(written, { isCut: item.status === 'incomplete' });
      return [{ type: 'tool-call', callId, name, input, ...dataOf({ ...rest, ...kept }) }];
    }
    default:
      return [{ type: 'reasoning', text: item.type === 'reasoning' ? thoughtOf(item) : '', ...dataOf(item) }];
  }
}

/** The content itself is kept where the text alone would not give it back. */
function toText(item: ResponseOutputMessage): readonly Part[] {
  const { type: _, role: _role, content, ...rest } = item;
  const text = content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
  const [first] = content;
  const isPlain = content.length === 1 && first?.type === 'output_text' && first.annotations.length === 0;
  return [{ type: 'text', text, ...dataOf(isPlain ? rest : { ...rest, content }) }];
}

function thoughtOf({ summary, content }: ResponseReasoningItem): string {
  return [...summary, ...(content ?? [])].map(({ text }) => text).join('\n\n');
}

function dataOf(data: object): Pick<Part, 'providerData'> {
  return { providerData: { api: 'openai-responses', data: toJson(data) } };
}
