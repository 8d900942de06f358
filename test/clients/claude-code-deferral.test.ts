import { beforeAll, describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { playDeferralStory } from './deferral-story.ts';
import type { DeferralStory, StoryOptions } from './deferral-story.ts';
import { blocksOf, insertions, parseRequest } from './request-bytes.ts';
import type { ContentBlock, MessagesRequest } from './request-bytes.ts';
import { installClaudeCode, installTimeoutMs } from './stage.ts';
import { expectGrowingPrefix, expectNothingRefused, expectSameTools } from './thread-expectations.ts';
import type { UpstreamRequest } from './upstream.ts';

const searchTool = 'tool_search_tool_bm25_20251119';
/** A deferrable built-in that runs at once, offline, with a constant answer. */
const deferredCall = { tool: 'ReportFindings', input: { findings: [] } };
const bashCall = { tool: 'Bash', input: { command: 'echo again', description: 'say again' } };

const variants: readonly Variant[] = [
  {
    name: 'with its own tool search off',
    // Unprotected (RU4) and of at least 200 tokens (RU5): docs/clients.md has the weights.
    deferred: [
      'CronCreate',
      'EnterWorktree',
      'ExitWorktree',
      'ListAgents',
      'Monitor',
      'NotebookEdit',
      'ReportFindings',
      'ScheduleWakeup',
      'SendMessage',
      'WebFetch',
      'Workflow',
    ],
    writtenShare: 0.5,
    story: {
      ownToolSearch: false,
      allowedTools: ['Bash', 'ReportFindings'],
      beforeKill: [deferredCall, { text: 'reported' }],
      afterKill: [bashCall, { text: 'went on' }],
    },
  },
  {
    name: 'with its own tool search on',
    deferred: ['ListAgents', 'ReportFindings', 'ScheduleWakeup', 'Workflow'],
    writtenShare: 0.75,
    story: {
      ownToolSearch: true,
      allowedTools: ['Bash', 'ReportFindings', 'CronList'],
      beforeKill: [deferredCall, { text: 'reported' }],
      // Its own search loads a tool: the client itself adds the definition to `tools`.
      afterKill: [
        { tool: 'ToolSearch', input: { query: 'select:CronList', max_results: 1 } },
        { tool: 'CronList', input: {} },
        { text: 'went on' },
      ],
    },
  },
];

interface Variant {
  readonly name: string;
  readonly deferred: readonly string[];
  /** The fourth session writes less than this share of what the third wrote to the cache. */
  readonly writtenShare: number;
  readonly story: StoryOptions;
}

// Skipped until `qm gateway` exists: whoever brings it takes `.skip` away.
describe.each(variants)('Claude Code 2.1.332 $name, through qm gateway', (variant) => {
  let outcome: DeferralStory | { readonly unavailable: string } | undefined;

  beforeAll(async () => {
    const install = await installClaudeCode();
    outcome = 'unavailable' in install ? install : await playDeferralStory(install, variant.story);
  }, installTimeoutMs);

  test('RU2, RW8: the first three sessions reach the provider as the bytes that came', (context) => {
    const { sentEarlier, earlier } = requireStory(context);
    const requests = earlier.flat();
    expect(requests).toHaveLength(6);
    expectNothingRefused(requests);
    expect(requests.map(({ raw }) => raw)).toEqual(sentEarlier);
  });

  test('RU4, RU5, RW1: the fourth session defers the seldom used built-ins and ends with the search tool', (context) => {
    const { tools } = parseRequest(requireStory(context).thread[0]?.raw ?? '');
    const deferred = tools?.filter((tool) => tool.defer_loading === true).map((tool) => tool.name);
    expect(deferred?.filter((name) => name !== 'DeferredToolPlaceholder')).toEqual(variant.deferred);
    expect(tools?.at(-1)?.type).toBe(searchTool);
  });

  test('RW2: the names list is one text block more in the system message at index 1 and names them all', (context) => {
    const story = requireStory(context);
    const names = namesList(story.sent[0] ?? '', story.thread[0]?.raw ?? '');
    for (const name of variant.deferred) expect(names).toContain(name);
  });

  test('RW3, O1: names list and tools keep their bytes, also after the gateway was killed', (context) => {
    const { sent, thread, beforeKill } = requireStory(context);
    expect(beforeKill).toBe(2);
    expect(thread.length).toBeGreaterThan(beforeKill);
    expect(new Set(thread.map(({ raw }, index) => namesList(sent[index] ?? '', raw))).size).toBe(1);
    // With its own search on the client adds what it found: only up to there are the bytes its own.
    expectSameTools(variant.story.ownToolSearch ? thread.slice(0, beforeKill + 1) : thread);
  });

  test('RW7: nothing but the flags, the search tool and the names list is added, and no byte is changed', (context) => {
    const { sent, thread } = requireStory(context);
    expect(sent).toHaveLength(thread.length);
    for (const [index, body] of sent.entries()) {
      const raw = thread[index]?.raw ?? '';
      // A flag for each tool, the search tool, and the names list; a string becomes an array around it.
      const namesListPieces = typeof parseRequest(body).messages[1]?.content === 'string' ? 2 : 1;
      expect(insertions(body, raw)).toHaveLength(variant.deferred.length + 1 + namesListPieces);
      expect(withoutDeferral(parseRequest(raw), variant.deferred, namesList(body, raw))).toEqual(
        withoutDeferral(parseRequest(body), [], undefined),
      );
    }
  });

  test('RW2: one search loads one tool, and the call to it works', (context) => {
    const { turns, thread } = requireStory(context);
    expect(turns[0]).toMatchObject({ exitCode: 0, json: { result: 'reported', is_error: false } });
    const blocks = blocksIn(thread[1]);
    const found = blocks.filter((block) => block.type === 'tool_search_tool_result');
    expect(found).toMatchObject([
      { content: { tool_references: [{ type: 'tool_reference', tool_name: 'ReportFindings' }] } },
    ]);
    expect(found).toHaveLength(1);
    const [result] = blocks.filter((block) => block.type === 'tool_result');
    expect(result).toBeDefined();
    expect(result).not.toMatchObject({ is_error: true });
  });

  test('the provider refuses nothing, and the thread writes its prefix to the cache once', (context) => {
    const { thread, turns } = requireStory(context);
    expect(turns[1]).toMatchObject({ exitCode: 0, json: { result: 'went on', is_error: false } });
    expectNothingRefused(thread);
    expectGrowingPrefix(thread);
  });

  test('Q4: a turn that the provider pauses is whole for the client, which would end in an error', (context) => {
    const { paused, pausedRequests } = requireStory(context);
    expect(paused).toMatchObject({ exitCode: 0, json: { result: 'went on after a pause', is_error: false } });
    expect(pausedRequests).toHaveLength(2);
    expectNothingRefused(pausedRequests);
  });

  test('the fourth session writes far less to the cache than the third', (context) => {
    const { earlier, thread } = requireStory(context);
    const third = earlier[2]?.[0];
    expect(third?.cacheRead).toBe(0);
    expect(thread[0]?.cacheWrite).toBeLessThan((third?.cacheWrite ?? 0) * variant.writtenShare);
  });

  function requireStory(context: TestContext): DeferralStory {
    if (outcome === undefined) throw new Error('There is no story: beforeAll did not end.');
    if ('unavailable' in outcome) return context.skip(outcome.unavailable);
    return outcome;
  }
});

/** The one text that the gateway added to the client's system message. */
function namesList(sent: string, raw: string): string {
  const own = blocksOf(parseRequest(sent).messages[1] ?? noMessage).map((block) => block.text);
  const message = parseRequest(raw).messages[1] ?? noMessage;
  expect(message.role).toBe('system');
  const added = blocksOf(message).filter((block) => !own.includes(block.text));
  expect(added).toEqual([{ type: 'text', text: expect.any(String) }]);
  return added[0]?.text ?? '';
}

const noMessage = { role: 'user', content: '' } as const;

/** A request as it reads when all that deferral adds is taken out; marks stay, since none may move here. */
function withoutDeferral(
  request: MessagesRequest,
  deferred: readonly string[],
  names: string | undefined,
): unknown {
  return {
    ...request,
    messages: request.messages.map((message) => ({
      ...message,
      content: blocksOf(message).filter((block) => names === undefined || block.text !== names),
    })),
    tools: request.tools
      ?.filter((tool) => tool.type !== searchTool)
      .map((tool) => (deferred.includes(tool.name) ? { ...tool, defer_loading: undefined } : tool)),
  };
}

function blocksIn(request: UpstreamRequest | undefined): readonly ContentBlock[] {
  return parseRequest(request?.raw ?? '').messages.flatMap(blocksOf);
}
