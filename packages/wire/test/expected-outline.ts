import type {
  CacheMark,
  Content,
  ContentBlock,
  Member,
  Message,
  MessagesOutline,
  Span,
  ToolEntry,
} from '@quartermaster/wire';
import { parseLatin1 } from './hostile-json.ts';

/** An outline with each span replaced by the value that stands there, so that it can be compared with `expectOutline`. */
export function resolveOutline(text: string, outline: MessagesOutline): unknown {
  const at = (span: Span): unknown => parseLatin1(text.slice(span.start, span.end));
  const member = (known: Member | undefined): unknown =>
    known && {
      member: parseLatin1(`{${text.slice(known.span.start, known.span.end)}}`),
      value: at(known.value),
    };
  const mark = (known: CacheMark | undefined): unknown => known && { member: member(known), ttl: known.ttl };
  const block = (known: ContentBlock, isPart: boolean): unknown => ({
    ...known,
    span: isPart ? at(known.span) : undefined,
    mark: mark(known.mark),
    nestedMarks: known.nestedMarks.map(mark),
  });
  const content = (known: Content): unknown => ({
    span: at(known.span),
    spelling: known.spelling,
    blocks: known.blocks.map((each) => block(each, known.spelling === 'blocks')),
  });
  const message = (known: Message): unknown => ({
    ...known,
    span: at(known.span),
    content: content(known.content),
  });
  const tool = (known: ToolEntry): unknown => ({
    ...known,
    span: at(known.span),
    deferLoading: member(known.deferLoading),
    mark: mark(known.mark),
  });
  return {
    ...outline,
    span: at(outline.span),
    mark: mark(outline.mark),
    system: outline.system && content(outline.system),
    tools: outline.tools && { span: at(outline.tools.span), items: outline.tools.items.map(tool) },
    messages: outline.messages && {
      span: at(outline.messages.span),
      items: outline.messages.items.map(message),
    },
  };
}

type Parsed = Readonly<Record<string, unknown>>;

/** What the outline of a parsed body has to say, told from values alone. */
export function expectOutline(body: Parsed): unknown {
  const choice = recordOf(body['tool_choice']);
  return {
    span: body,
    model: body['model'] ?? undefined,
    isStreaming: body['stream'] === true,
    metadataUserId: recordOf(body['metadata'])?.['user_id'] ?? undefined,
    toolChoice: choice && { type: choice['type'], name: choice['name'] ?? undefined },
    mark: expectMark(body),
    system: expectContent(body['system']),
    tools: listOf(body['tools']) && { span: body['tools'], items: listOf(body['tools'])?.map(expectTool) },
    messages: listOf(body['messages']) && {
      span: body['messages'],
      items: listOf(body['messages'])?.map(expectMessage),
    },
  };
}

function expectMark(owner: Parsed): unknown {
  const value = recordOf(owner['cache_control']);
  if (value?.['type'] !== 'ephemeral') return undefined;
  return { member: { member: { cache_control: value }, value }, ttl: value['ttl'] ?? '5m' };
}

function expectTool(tool: Parsed): unknown {
  const value = tool['defer_loading'];
  return {
    span: tool,
    name: tool['name'] ?? undefined,
    type: tool['type'] ?? undefined,
    isDeferred: value === true,
    deferLoading: 'defer_loading' in tool ? { member: { defer_loading: value }, value } : undefined,
    mark: expectMark(tool),
  };
}

function expectMessage(message: Parsed): unknown {
  return {
    span: message,
    role: message['role'],
    content: expectContent(message['content']),
    isTurnScoped: (message['clear_at'] ?? 'never') !== 'never',
  };
}

function expectContent(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const blocks = listOf(value);
  return {
    span: value,
    spelling: blocks ? 'blocks' : 'string',
    blocks: (blocks ?? [{ type: 'text' }]).map((block) => expectBlock(block, blocks ? block : undefined)),
  };
}

function expectBlock(block: Parsed, span: unknown): unknown {
  const type = String(block['type']);
  const isCall = type === 'tool_use' || type === 'server_tool_use';
  const nested = Object.entries(block).filter(([key]) => key !== 'cache_control');
  return {
    span,
    type,
    mark: expectMark(block),
    name: isCall ? block['name'] : undefined,
    callId: (isCall ? block['id'] : type.endsWith('_result') ? block['tool_use_id'] : undefined) ?? undefined,
    references: nested.flatMap(([key, value]) => (isOpaque(key) ? [] : referencesIn(value))),
    isSigned: type === 'redacted_thinking' || (type === 'thinking' && Boolean(block['signature'])),
    nestedMarks: nested.flatMap(([key, value]) => (isOpaque(key) ? [] : marksIn(value))),
    holdsImage: type === 'image' || nested.some(([key, value]) => !isOpaque(key) && holdsImage(value)),
  };
}

/** The model's arguments and JSON schemas are data. */
function isOpaque(key: string): boolean {
  return key === 'input' || key === 'input_schema';
}

function referencesIn(value: unknown): readonly unknown[] {
  const items = listOf(value);
  if (items) return items.flatMap(referencesIn);
  const record = recordOf(value);
  if (!record) return [];
  const own = record['type'] === 'tool_reference' ? [record['tool_name'] ?? record['name']] : [];
  const inner = Object.entries(record).filter(([key]) => key !== 'cache_control' && !isOpaque(key));
  return [...inner.flatMap(([, each]) => referencesIn(each)), ...own];
}

function marksIn(value: unknown): readonly unknown[] {
  const items = listOf(value);
  if (items) return items.flatMap(marksIn);
  return Object.entries(recordOf(value) ?? {}).flatMap(([key, each]) => {
    if (key !== 'cache_control') return isOpaque(key) ? [] : marksIn(each);
    return [expectMark({ cache_control: each })].filter((mark) => mark !== undefined);
  });
}

function holdsImage(value: unknown): boolean {
  const items = listOf(value);
  if (items) return items.some(holdsImage);
  const record = recordOf(value);
  if (record?.['type'] === 'image') return true;
  return Object.entries(record ?? {}).some(
    ([key, each]) => key !== 'cache_control' && !isOpaque(key) && holdsImage(each),
  );
}

function listOf(value: unknown): readonly Parsed[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function recordOf(value: unknown): Parsed | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
