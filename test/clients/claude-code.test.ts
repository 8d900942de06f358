import { beforeAll, describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { sessionOf } from './claude-code.ts';
import type { ClaudeCode } from './claude-code.ts';
import type { ClientInstall, ClientUnavailable } from './install.ts';
import { blocksOf, parseRequest } from './request-bytes.ts';
import { installClaudeCode, installTimeoutMs, openStage, requireClient } from './stage.ts';
import { expectGrowingPrefix, expectNothingRefused, expectSameTools } from './thread-expectations.ts';
import { scripted, startUpstream } from './upstream.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

let install: ClientInstall | ClientUnavailable | undefined;

beforeAll(async () => {
  install = await installClaudeCode();
}, installTimeoutMs);

interface Scene extends AsyncDisposable {
  readonly upstream: Upstream;
  readonly client: ClaudeCode;
  readonly workFolder: string;
}

const bashTurn = [
  { tool: 'Bash', input: { command: 'echo from-the-shell', description: 'say it' } },
  { text: 'said' },
];

describe.each([
  { search: 'on', ownToolSearch: true, tools: 12 },
  { search: 'off', ownToolSearch: false, tools: 21 },
])('Claude Code 2.1.332 with its own tool search $search', ({ ownToolSearch, tools }) => {
  test('a plain turn has the shape that docs/clients.md states', async (context) => {
    await using scene = await open(context);
    const outcome = await scene.client.run('Say hello.');

    expect(outcome).toMatchObject({ exitCode: 0, json: { result: 'ok', is_error: false } });
    const [request, ...more] = scene.upstream.requests(sessionOf(outcome));
    expect(more).toEqual([]);
    expect(request?.status).toBe(200);
    expectFirstRequest(request, scene.workFolder);
    expect(request?.toolsDeclared).toHaveLength(tools);
  });

  test('a tool turn re-spells the system message, moves the mark and reads the prefix from the cache', async (context) => {
    await using scene = await open(context);
    const outcome = await scene.client.run(scripted('Run it.', bashTurn), { allowedTools: ['Bash'] });

    expect(outcome).toMatchObject({ exitCode: 0, json: { result: 'said' } });
    const requests = scene.upstream.requests(sessionOf(outcome));
    expect(requests).toHaveLength(2);
    expectNothingRefused(requests);
    expectSameTools(requests);
    expectGrowingPrefix(requests);
    const { messages } = parseRequest(requests[1]?.raw ?? '');
    expect(typeof messages[1]?.content).toBe('string');
    expect(JSON.stringify(messages.at(-1))).toContain('from-the-shell');
    expect(blocksOf(messages.at(-1) ?? noMessage).at(-1)).toHaveProperty('cache_control');
  });

  test('a resumed session goes on with the same bytes, its thinking blocks still bound', async (context) => {
    await using scene = await open(context);
    const first = await scene.client.run(scripted('Run it.', bashTurn), { allowedTools: ['Bash'] });
    const resumed = await scene.client.run(scripted('Again.', bashTurn), {
      allowedTools: ['Bash'],
      resume: sessionOf(first),
    });

    expect(resumed).toMatchObject({ exitCode: 0, json: { result: 'said' } });
    expect(sessionOf(resumed)).toBe(sessionOf(first));
    const requests = scene.upstream.requests(sessionOf(first));
    expect(requests).toHaveLength(4);
    expectNothingRefused(requests);
    expectSameTools(requests);
    expectGrowingPrefix(requests);
    const thinking = parseRequest(requests.at(-1)?.raw ?? '').messages.flatMap(blocksOf);
    expect(thinking.filter((block) => block.type === 'thinking')).toHaveLength(3);
  });

  async function open(context: TestContext): Promise<Scene> {
    const found = requireClient(install, context);
    await using stack = new AsyncDisposableStack();
    const upstream = stack.use(await startUpstream());
    const stage = stack.use(await openStage(found));
    const client = stage.client({ baseUrl: upstream.url, ownToolSearch });
    const opened = stack.move();
    return {
      upstream,
      client,
      workFolder: stage.workFolder,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }
});

const noMessage = { role: 'user', content: '' } as const;

function expectFirstRequest(request: UpstreamRequest | undefined, workFolder: string): void {
  const body = parseRequest(request?.raw ?? '');
  expect(Object.keys(body).join()).toBe(
    'model,messages,system,tools,metadata,max_tokens,thinking,context_management,output_config,stream',
  );
  expect(JSON.parse(body.metadata?.user_id ?? '')).toMatchObject({ session_id: request?.session });
  expect(body.messages.map((message) => message.role)).toEqual(['user', 'system']);
  expect(body.system.map((block) => 'cache_control' in block)).toEqual([false, true, true]);
  expect(body.tools?.filter((tool) => 'cache_control' in tool)).toEqual([]);
  expect(blocksOf(body.messages[0] ?? noMessage).some((block) => 'cache_control' in block)).toBe(false);
  // An array of one block, which bears the third mark.
  expect(body.messages[1]?.content).toEqual([
    expect.objectContaining({ cache_control: { type: 'ephemeral' } }),
  ]);
  const [environment] = blocksOf(body.messages[1] ?? noMessage);
  expect(/^ - Primary working directory: (.+)$/m.exec(environment?.text ?? '')?.[1]).toBe(workFolder);
}
