import type { BodyBlock } from './anthropic-body.ts';

interface StreamEvent {
  readonly type: string;
  readonly content_block?: BodyBlock;
  readonly delta?: {
    readonly partial_json?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
  };
}

/** The content of a streamed answer, as a client puts it together; `undefined` where it tells an error. */
export function contentOfStream(text: string): readonly BodyBlock[] | undefined {
  const blocks: {
    readonly block: BodyBlock;
    json: string;
    text: string;
    thinking: string;
    signature: string;
  }[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: ')) continue;
    const { type, content_block: block, delta } = JSON.parse(line.slice('data: '.length)) as StreamEvent;
    if (type === 'error') return undefined;
    if (block !== undefined) blocks.push({ block, json: '', text: '', thinking: '', signature: '' });
    const last = blocks.at(-1);
    if (delta === undefined || last === undefined) continue;
    last.json += delta.partial_json ?? '';
    last.text += delta.text ?? '';
    last.thinking += delta.thinking ?? '';
    last.signature += delta.signature ?? '';
  }
  return blocks.map(({ block, json, ...told }) => {
    if (block.type === 'text') return { ...block, text: told.text };
    if (block.type === 'thinking') return { ...block, thinking: told.thinking, signature: told.signature };
    const hasInput = block.type === 'tool_use' || block.type === 'server_tool_use';
    return hasInput ? { ...block, input: JSON.parse(json === '' ? '{}' : json) as object } : block;
  });
}
