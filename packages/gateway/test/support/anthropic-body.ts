import fc from 'fast-check';

/** Request bodies of our own making, as a client would print them. */
export interface BodyTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: object;
  readonly type?: string;
  readonly defer_loading?: boolean;
  readonly cache_control?: CacheControl;
}

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface BodyBlock {
  readonly type: string;
  readonly text?: string;
  readonly cache_control?: CacheControl;
  readonly [key: string]: unknown;
}

export interface BodyMessage {
  readonly role: string;
  readonly content: string | readonly BodyBlock[];
  readonly output_config?: { readonly effort: string };
}

export interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string | readonly BodyBlock[];
  readonly tools: readonly BodyTool[];
  readonly messages: readonly BodyMessage[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
}

export function tool(name: string, extra: Partial<BodyTool> = {}): BodyTool {
  return { name, description: `Does ${name}.`, input_schema: { type: 'object', properties: {} }, ...extra };
}

/** The body as its provider renders it: marks gone, a string the same as one text block, definitions in order. */
export function rendered(body: Body): readonly string[] {
  const tools = body.tools.filter((entry) => entry.defer_loading !== true).map((entry) => printed(entry));
  const system = blocksOf(body.system ?? []).map((block) => printed(block));
  const messages = body.messages.flatMap(({ role, content }) =>
    blocksOf(content).map((block) => `${role} ${printed(block)}`),
  );
  const hasDeferred = body.tools.some((entry) => entry.defer_loading === true);
  return [`deferred: ${hasDeferred}`, ...tools, ...system, ...messages];
}

function blocksOf(content: string | readonly BodyBlock[]): readonly BodyBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function printed({ cache_control: _mark, ...rest }: BodyTool | BodyBlock): string {
  return JSON.stringify(rest);
}

const mark: fc.Arbitrary<CacheControl> = fc.constantFrom<CacheControl>(
  { type: 'ephemeral' },
  { type: 'ephemeral', ttl: '5m' },
  { type: 'ephemeral', ttl: '1h' },
);

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });

const toolName = fc.oneof(
  fc.constantFrom('Alpha', 'Beta', 'Gamma', 'Delta', 'mcp__x', 'mcp____y'),
  fc
    .tuple(fc.constantFrom('srv', 'srv2', 'a__b'), fc.constantFrom('one', 'two'))
    .map(([s, t]) => `mcp__${s}__${t}`),
);

const anyTool: fc.Arbitrary<BodyTool> = fc
  .record({
    name: toolName,
    description: text,
    kind: fc.constantFrom('client', 'client', 'client', 'custom', 'own-deferred', 'explicit-false', 'server'),
    mark: fc.option(mark, { nil: undefined, freq: 4 }),
  })
  .map(({ name, description, kind, mark: cacheControl }) => ({
    ...tool(name, { description }),
    ...(kind === 'server' ? { type: 'web_search_20260318' } : {}),
    ...(kind === 'custom' ? { type: 'custom' } : {}),
    ...(kind === 'own-deferred' ? { defer_loading: true } : {}),
    ...(kind === 'explicit-false' ? { defer_loading: false } : {}),
    ...(cacheControl === undefined || kind === 'own-deferred' ? {} : { cache_control: cacheControl }),
  }));

const blocks = fc
  .array(fc.record({ text, mark: fc.option(mark, { nil: undefined, freq: 6 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) =>
    parts.map(({ text: words, mark: cacheControl }) => ({
      type: 'text',
      text: words,
      ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
    })),
  );

const content = fc.oneof(text, blocks);

const opening: fc.Arbitrary<readonly BodyMessage[]> = fc
  .tuple(content, fc.option(fc.oneof(content, fc.constant([])), { nil: undefined }))
  .map(([user, system]) => [
    { role: 'user', content: user },
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
  ]);

/** A first request with unique tool names, at most four marks and 1 h marks before 5 m ones. */
export const firstRequest: fc.Arbitrary<Body> = fc
  .record({
    model: fc.constantFrom('claude-opus-5-5', 'claude-haiku-4-5-20251001'),
    max_tokens: fc.constant(100),
    system: fc.oneof(fc.constant(''), content),
    tools: fc.uniqueArray(anyTool, { minLength: 1, maxLength: 9, selector: ({ name }) => name }),
    messages: opening,
  })
  .map((body) => withLegalMarks(body));

/** The next request of a client: the last answer and a new user turn, marks moved, spellings changed. */
export function nextRequest(body: Body, answer: string, marks: readonly boolean[]): Body {
  const respelled = body.messages.map(({ role, content: old }) => ({ role, content: respell(old) }));
  const tools = body.tools.map(({ cache_control: _mark, ...entry }, index) =>
    marks[index] === true && entry.defer_loading !== true ? { ...entry, cache_control: ephemeral } : entry,
  );
  const turn: readonly BodyMessage[] = [
    { role: 'assistant', content: [{ type: 'text', text: answer }] },
    { role: 'user', content: [{ type: 'text', text: 'go on', cache_control: ephemeral }] },
  ];
  return { ...body, tools, messages: [...respelled, ...turn] };
}

const ephemeral: CacheControl = { type: 'ephemeral' };

/** Claude Code spells a message whose mark has left as a string. */
function respell(old: string | readonly BodyBlock[]): string | readonly BodyBlock[] {
  const unmarked = blocksOf(old).map(({ cache_control: _mark, ...block }) => block as BodyBlock);
  const [only] = unmarked;
  return unmarked.length === 1 && only?.text !== undefined ? only.text : unmarked;
}

function withLegalMarks(body: Body): Body {
  let left = 4;
  let isShortOnly = false;
  const legal = <Marked extends { readonly cache_control?: CacheControl }>(item: Marked): Marked => {
    const { cache_control: cacheControl, ...rest } = item;
    if (cacheControl === undefined || left === 0) return rest as Marked;
    left -= 1;
    if (cacheControl.ttl !== '1h') isShortOnly = true;
    return isShortOnly ? { ...item, cache_control: { type: 'ephemeral' } } : item;
  };
  const inContent = (value: string | readonly BodyBlock[]): string | readonly BodyBlock[] =>
    typeof value === 'string' ? value : value.map(legal);
  return {
    ...body,
    tools: body.tools.map(legal),
    ...(body.system === undefined ? {} : { system: inContent(body.system) }),
    messages: body.messages.map((message) => ({ ...message, content: inContent(message.content) })),
  };
}
