import { CliError } from '../../errors.ts';

/** A block of a message; its members beside `type` are passed on as they came. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A whole answer, as its stream told it. */
export interface StreamedMessage {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string;
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: ContentBlock;
  readonly delta?: Readonly<Record<string, string>>;
  readonly error?: { readonly message: string };
}

/** A message while its stream runs. */
interface Draft {
  readonly blocks: Record<string, unknown>[];
  /** What has come of the JSON of each call's input, by the index of its block. */
  readonly inputs: string[];
  stopReason: string | undefined;
}

/** Reads a streamed answer of the Messages API. Raises `CLI_DEMO_FAILED` where it breaks off or tells an error. */
export async function readMessage(body: ReadableStream<Uint8Array>): Promise<StreamedMessage> {
  const draft: Draft = { blocks: [], inputs: [], stopReason: undefined };
  for await (const event of readEvents(body)) apply(event, draft);
  const { blocks, inputs, stopReason } = draft;
  if (stopReason === undefined)
    throw new CliError('CLI_DEMO_FAILED', 'The stream ended before the message did.');
  const content = blocks.map((block, index) => {
    const json = inputs[index];
    return { type: '', ...block, ...(json ? { input: JSON.parse(json) } : {}) };
  });
  return { content, stopReason };
}

function apply({ type, index = 0, content_block: block, delta, error }: StreamEvent, draft: Draft): void {
  if (type === 'error') throw new CliError('CLI_DEMO_FAILED', `The stream told an error: ${error?.message}`);
  if (type === 'message_delta') draft.stopReason = delta?.['stop_reason'];
  if (block !== undefined) draft.blocks[index] = { ...block };
  if (type === 'content_block_delta' && delta !== undefined) grow(draft, index, delta);
}

/** Text, thinking, signature and input grow by their deltas. */
function grow(draft: Draft, index: number, { type: _, ...texts }: Readonly<Record<string, string>>): void {
  const block = draft.blocks[index] ?? {};
  for (const [key, text] of Object.entries(texts)) {
    const before = block[key];
    if (key === 'partial_json') draft.inputs[index] = (draft.inputs[index] ?? '') + text;
    else block[key] = typeof before === 'string' ? before + text : text;
  }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const records = (rest + text).split('\n\n');
    rest = records.pop() ?? '';
    for (const record of records) {
      const data = record.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length));
    }
  }
}
