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

/** Reads a streamed answer of the Messages API. Raises `CLI_DEMO_FAILED` where it breaks off or tells an error. */
export async function readMessage(body: ReadableStream<Uint8Array>): Promise<StreamedMessage> {
  const blocks: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  let stopReason: string | undefined;
  for await (const { type, index = 0, content_block: block, delta, error } of readEvents(body)) {
    if (type === 'error')
      throw new CliError('CLI_DEMO_FAILED', `The stream told an error: ${error?.message}`);
    if (block !== undefined) blocks[index] = { ...block };
    if (type === 'message_delta') stopReason = delta?.['stop_reason'];
    if (type === 'content_block_delta' && delta !== undefined) {
      const { type: _, partial_json: json, ...texts } = delta;
      if (json !== undefined) inputs[index] = (inputs[index] ?? '') + json;
      append(blocks[index], texts);
    }
  }
  if (stopReason === undefined)
    throw new CliError('CLI_DEMO_FAILED', 'The stream ended before the message did.');
  for (const [index, json] of inputs.entries())
    if (json) Object.assign(blocks[index] ?? {}, { input: JSON.parse(json) });
  return { content: blocks.map((block) => ({ type: '', ...block })), stopReason };
}

/** Text, thinking and signature grow by their deltas. */
function append(block: Record<string, unknown> | undefined, texts: Readonly<Record<string, string>>): void {
  if (block === undefined) return;
  for (const [key, text] of Object.entries(texts)) block[key] = String(block[key] ?? '') + text;
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
