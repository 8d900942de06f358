import { randomUUID } from 'node:crypto';
import type { BodyBlock, BodyMessage } from '../support/anthropic-body.ts';
import type { ArrivedRequest } from '../support/simulated.ts';
import { additionsOf, danglingReferences, illegalitiesOf, isSentUndone, referencesIn } from './additions.ts';
import {
  blocksOf,
  type Conversation,
  printRequest,
  takesForcedTools,
  toolsOf,
  withoutThinking,
  withTool,
} from './coding-client.ts';
import type { Answer, Counts, GatewayName, Ground, Run } from './ground.ts';
import type { Event, ModelId, Scenario, Step } from './scenario.ts';
import { createThreadLog, logged, type ThreadLog } from './thread-log.ts';

/** Counts of what happened in all runs: events, requests, exceptions by their rule. */
export type Tally = Map<string, number>;

/** A broken law, by its number. */
export class BrokenLaw extends Error {
  constructor(law: number, what: string) {
    super(`law ${law}: ${what}`);
    this.name = 'BrokenLaw';
  }
}

type Route = 'gateway' | 'direct';

/** One conversation with the gateways and its twin with none: the same prompts, answers of their own. */
interface Thread {
  readonly agent: string | undefined;
  readonly log: ThreadLog;
  tools: readonly string[];
  messages: Record<Route, readonly BodyMessage[]>;
  /** The client states its environment after the next prompt. */
  owesEnvironment: boolean;
  /** A counted exception has moved its prefix: the provider may refuse the thinking made before. */
  isBroken: boolean;
  /** The gateway, in its life at that time, that could not read the record at the first request: no other knows of it. */
  unreadBy: string | undefined;
}

interface Session {
  readonly id: string;
  readonly threads: Map<string, Thread>;
}

type Turn = Extract<Event, { type: 'turn' }>;

/** Plays a scenario; rejects with the first broken law. */
export async function play(ground: Ground, scenario: Scenario, tally: Tally): Promise<void> {
  const { client, history } = scenario;
  const declared = [...client.tools, 'mcp__crm__late'];
  await using run = await ground.begin(history, declared);
  const player = createPlayer(run, scenario, tally);
  for (const event of scenario.events) {
    count(tally, `event ${event.type}`);
    await player.play(event);
  }
}

function createPlayer(run: Run, { client }: Scenario, tally: Tally) {
  let model: ModelId = client.model;
  let session = openSession();
  let aheadMs = 0;
  let prompts = 0;
  let losses = 0;
  /** Whether every background write of the run has had its chance. */
  let isUntroubled = true;
  const lives = { a: 0, b: 0 };
  const countedBefore: Record<GatewayName, Counts> = { a: {}, b: {} };
  const earlier: Session[] = [];
  const arrived: ArrivedRequest[] = [];
  const faults: BrokenLaw[] = [];

  run.onArrival((request) => {
    arrived.push(request);
    const fault = losses === 0 ? findUndurable(run, request) : undefined;
    if (fault !== undefined) faults.push(fault);
  });

  function openSession(): Session {
    return { id: randomUUID(), threads: new Map() };
  }

  function threadOf(agent: Turn['agent']): Thread {
    const known = session.threads.get(agent);
    if (known !== undefined) return known;
    const fresh: Thread = {
      agent: agent === 'main' ? undefined : 'a0123456789abcdef',
      log: createThreadLog(),
      tools: agent === 'main' ? client.tools : client.tools.filter((name) => name !== 'Notebook'),
      messages: { gateway: [], direct: [] },
      owesEnvironment: client.environment !== 'none',
      isBroken: false,
      unreadBy: undefined,
    };
    session.threads.set(agent, fresh);
    return fresh;
  }

  function conversationOf(thread: Thread, route: Route): Conversation {
    const { agent, tools } = thread;
    return { traits: client, session: session.id, agent, model, tools, messages: thread.messages[route] };
  }

  function headersOf(thread: Thread | undefined, isBypassing = false): Readonly<Record<string, string>> {
    return {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test',
      'anthropic-beta': 'per-turn-control-2026-07-01',
      'x-claude-code-session-id': session.id,
      ...(thread?.agent === undefined ? {} : { 'x-claude-code-agent-id': thread.agent }),
      ...(isBypassing ? { 'x-quartermaster-bypass': 'true' } : {}),
    };
  }

  /** One request through a gateway, held against every law that a single request shows. */
  async function sendThrough(
    name: GatewayName,
    body: string,
    {
      thread,
      isBypassing,
      path = 'v1/messages?beta=true',
    }: { thread?: Thread; isBypassing?: boolean; path?: string },
  ): Promise<Answer> {
    const seen = arrived.length;
    const answer = await run.post(name, `/anthropic/${path}`, {
      body,
      headers: headersOf(thread, isBypassing),
    });
    const counted = await run.counters(name);
    const news = difference(countedBefore[name], counted);
    countedBefore[name] = counted;
    count(tally, 'requests');
    const [fault] = faults;
    if (fault !== undefined) throw fault;
    const request = arrived.slice(seen).find(({ body: text }) => text.length >= body.length);
    const isPlanned = path.startsWith('v1/messages?');
    if (isPlanned) checkCounted(news);
    if (request === undefined) {
      if (answer.status !== 503)
        throw new BrokenLaw(7, `nothing reached the provider, the answer is ${answer.status}`);
      count(tally, 'O3: come again');
      return answer;
    }
    const isRewritten = isPlanned && news['requests_rewritten'] === 1;
    if (isRewritten) count(tally, 'requests rewritten');
    checkBytes(request.body, body, isRewritten);
    if (thread !== undefined) checkThread(thread, { request, body, news, by: `${name}${lives[name]}` });
    return answer;
  }

  function checkThread(
    thread: Thread,
    {
      request,
      body,
      news,
      by,
    }: {
      readonly request: ArrivedRequest;
      readonly body: string;
      readonly news: Counts;
      readonly by: string;
    },
  ): void {
    const dangling = danglingReferences(request.body);
    if (dangling.length > 0) throw new BrokenLaw(5, `nothing defines ${dangling.join()}`);
    const next = logged(request.body, body, request.request.renderedPrefixHashes);
    // O3: at a first request it means "nothing", which then holds like any decision.
    const isFirst =
      thread.log.requests.length === 0 && !next.sent.messages.some(({ role }) => role === 'assistant');
    if (isFirst && news['record_unreadable'] !== undefined) thread.unreadBy = by;
    const excepted = isFirst ? undefined : exceptionOf(news);
    if (excepted !== undefined) {
      count(tally, excepted);
      thread.isBroken = true;
      return;
    }
    if (next.hashes.length === 0) return;
    const move = thread.log.findMove(next);
    if (move === undefined) {
      thread.log.add(next);
      return;
    }
    const isKnownOnly = thread.unreadBy !== undefined && thread.unreadBy !== by;
    if (losses === 0 && !isKnownOnly) throw new BrokenLaw(3, `${move}; counted: ${JSON.stringify(news)}`);
    if (isKnownOnly) count(tally, 'O3: unreadable to one gateway, decided by the other');
    else count(tally, news['rebuilds'] === undefined ? 'O5: decided again after a loss' : 'O4: rebuilt');
    thread.isBroken = true;
    thread.log.forget();
    thread.log.add(next);
  }

  async function sendDirectly(
    body: string,
    thread: Thread | undefined,
    path = 'v1/messages?beta=true',
  ): Promise<Answer> {
    return run.postDirectly(`/${path}`, { body, headers: headersOf(thread) });
  }

  /** Sends a route's conversation until the model ends its turn. Whether the provider refused something on the way. */
  async function converse(
    thread: Thread,
    route: Route,
    send: (body: string, request: number) => Promise<Answer>,
    forced: string | undefined,
  ): Promise<{ readonly isDone: boolean; readonly isRefused: boolean }> {
    let isRefused = false;
    let failures = 0;
    for (let request = 0; request < 12; request += 1) {
      const body = printRequest(conversationOf(thread, route), { forced });
      const answer = await send(body, request);
      if (answer.status === 200) {
        const { content } = JSON.parse(answer.body) as { readonly content: readonly BodyBlock[] };
        const calls = content.filter(({ type }) => type === 'tool_use');
        thread.messages[route] = [
          ...thread.messages[route],
          { role: 'assistant', content },
          ...(calls.length === 0 ? [] : [{ role: 'user', content: calls.map(resultOf) }]),
        ];
        if (calls.length === 0) return { isDone: true, isRefused };
        continue;
      }
      if (answer.status === 503 && route === 'gateway') continue;
      // Thinking that the twin has lost already may still stand here when the client changes what it is bound to.
      isRefused ||= route === 'direct' || !thread.log.isChanged(body);
      count(tally, 'why ' + answer.body.replace(/req_\w+|toolu_\w+|\d+/g, '').slice(0, 180));
      failures += 1;
      if (answer.status !== 400 || failures > 1) return { isDone: false, isRefused };
      // As Claude Code does: the same request without the thinking.
      thread.messages[route] = withoutThinking(thread.messages[route]);
      if (route === 'gateway') thread.log.forget();
    }
    return { isDone: false, isRefused: true };
  }

  async function playTurn(turn: Turn): Promise<void> {
    const thread = threadOf(turn.agent);
    const canForce = takesForcedTools.has(model) && thread.tools.includes(turn.forced ?? '');
    const forced = canForce ? turn.forced : undefined;
    const kept = { messages: { ...thread.messages }, owesEnvironment: thread.owesEnvironment };
    prompt(thread, promptOf(turn.steps));
    if (turn.opening === 'prompted-twice') {
      const { isBypassing } = turn;
      await sendThrough(
        gatewayFor(turn.via, 0),
        printRequest(conversationOf(thread, 'gateway'), { forced }),
        { thread, isBypassing },
      );
      promptAgain(thread, promptOf(turn.steps));
    }
    const through = async (body: string, request: number): Promise<Answer> => {
      const options = { thread, isBypassing: turn.isBypassing };
      const name = gatewayFor(turn.via, request);
      if (request === 0 && turn.opening === 'answer-lost') await sendThrough(name, body, options);
      if (request === 0 && turn.opening === 'both')
        await sendThrough(name === 'a' ? 'b' : 'a', body, options);
      return sendThrough(name, body, options);
    };
    const gateway = await converse(thread, 'gateway', through, forced);
    const direct = await converse(thread, 'direct', (body) => sendDirectly(body, thread), forced);
    if (gateway.isRefused && !direct.isRefused) {
      if (!thread.isBroken)
        throw new BrokenLaw(3, 'the provider refused what it would have taken without us');
      count(tally, 'refused after an exception');
    }
    count(tally, direct.isRefused ? 'turns that the client itself broke' : 'turns');
    if (!gateway.isDone || !direct.isDone) Object.assign(thread, kept);
  }

  function prompt(thread: Thread, text: string): void {
    prompts += 1;
    const message = { role: 'user', content: `Prompt ${prompts} ✓. ${text}` };
    const added = thread.owesEnvironment ? [message, environmentOf(client.environment)] : [message];
    thread.owesEnvironment = false;
    for (const route of ['gateway', 'direct'] as const) {
      thread.messages[route] = [...thread.messages[route], ...added];
    }
  }

  /** Behind the last user message; a system message of the client's stays the last. */
  function promptAgain(thread: Thread, text: string): void {
    prompts += 1;
    for (const route of ['gateway', 'direct'] as const) {
      const messages = thread.messages[route];
      const at = messages.findLastIndex(({ role }) => role === 'user') + 1;
      const message = { role: 'user', content: `Prompt ${prompts}, once more. ${text}` };
      thread.messages[route] = [...messages.slice(0, at), message, ...messages.slice(at)];
    }
  }

  async function compact(keepsThinking: boolean): Promise<void> {
    const thread = threadOf('main');
    if (thread.messages.gateway.length === 0) return;
    const kept = { ...thread.messages };
    prompt(thread, promptOf([{ type: 'text', tools: [] }]));
    const gateway = await converse(
      thread,
      'gateway',
      (body) => sendThrough('a', body, { thread }),
      undefined,
    );
    const direct = await converse(thread, 'direct', (body) => sendDirectly(body, thread), undefined);
    if (gateway.isRefused && !direct.isRefused && !thread.isBroken)
      throw new BrokenLaw(3, 'the provider refused a compaction that it would have taken without us');
    if (!gateway.isDone || !direct.isDone) {
      thread.messages = kept;
      return;
    }
    prompts += 1;
    const summary = { role: 'user', content: `Summary ${prompts} of what was said before.` };
    const environment = client.environment === 'none' ? [] : [{ role: 'system', content: [] }];
    for (const route of ['gateway', 'direct'] as const) {
      const last = thread.messages[route].at(-1);
      const kinds = keepsThinking ? ['thinking', 'text'] : ['text'];
      const content = last === undefined ? [] : blocksOf(last).filter(({ type }) => kinds.includes(type));
      thread.messages[route] = [summary, ...environment, { role: 'assistant', content }];
    }
    thread.log.forget();
    thread.owesEnvironment = client.environment !== 'none';
  }

  function fork(): void {
    const parent = session;
    earlier.push(parent);
    session = openSession();
    const main = parent.threads.get('main');
    if (main === undefined || main.messages.gateway.length === 0) return;
    const answer = firstAnswerIn(main.messages.gateway);
    const isShown = main.log.requests.some(({ sent }) => firstAnswerIn(sent.messages) === answer);
    const isKnown = isUntroubled && answer !== undefined && isShown;
    if (!isKnown) count(tally, 'O5: a fork of what no request has shown yet');
    session.threads.set('main', {
      ...main,
      messages: { ...main.messages },
      log: createThreadLog(isKnown ? main.log.requests : []),
      isBroken: main.isBroken || !isKnown,
    });
  }

  function changeModel(next: ModelId, keepsThinking: boolean): void {
    if (next === model) return;
    model = next;
    if (keepsThinking) return;
    for (const { threads } of [session, ...earlier]) {
      for (const thread of threads.values()) {
        for (const route of ['gateway', 'direct'] as const) {
          thread.messages[route] = withoutThinking(thread.messages[route]);
        }
      }
    }
  }

  function dropTool(tool: string): void {
    const thread = threadOf('main');
    const isReferenced = referencesIn(thread.messages.gateway).includes(tool);
    // Q3 gives a loaded tool's definition back; until it stands, such a request is the provider's to refuse.
    if (isReferenced) count(tally, 'open Q3: a loaded tool stays declared');
    else if (tool !== 'Bash') thread.tools = thread.tools.filter((name) => name !== tool);
  }

  async function ask(body: string, path?: string): Promise<void> {
    const through = await sendThrough('a', body, path === undefined ? {} : { path });
    const directly = await sendDirectly(body, undefined, path);
    if (through.status !== directly.status)
      throw new BrokenLaw(1, `an answer of ${through.status} instead of ${directly.status}`);
  }

  return {
    async play(event: Event): Promise<void> {
      switch (event.type) {
        case 'turn':
          return playTurn(event);
        case 'side': {
          const tools =
            event.tools === 'none'
              ? []
              : toolsOf({ traits: { ...client, extras: ['server-tool'] }, tools: [] });
          const messages = [{ role: 'user', content: 'A title, please.' }];
          return ask(printRequest({ ...conversationOf(threadOf('main'), 'gateway'), messages }, { tools }));
        }
        case 'count': {
          const messages = [{ role: 'user', content: 'Count this.' }];
          const body = { model, messages, tools: toolsOf({ traits: client, tools: client.tools }) };
          return ask(JSON.stringify(body), 'v1/messages/count_tokens?beta=true');
        }
        case 'clear':
          earlier.push(session);
          session = openSession();
          return;
        case 'fork':
          return fork();
        case 'back':
          session = earlier.pop() ?? session;
          return;
        case 'compact':
          return compact(event.keepsThinking);
        case 'late-tool': {
          const thread = threadOf('main');
          thread.tools = withTool(thread.tools, event.tool);
          return;
        }
        case 'drop-tool':
          return dropTool(event.tool);
        case 'model':
          return changeModel(event.model, event.keepsThinking);
        case 'restart':
          if (event.how === 'killed') isUntroubled = false;
          countedBefore[event.gateway] = {};
          lives[event.gateway] += 1;
          return run.restart(event.gateway, event.how);
        case 'lose-records':
          losses += 1;
          for (const { threads } of [session, ...earlier]) {
            for (const thread of threads.values()) thread.isBroken = true;
          }
          isUntroubled = false;
          run.loseRecords();
          return;
        case 'store':
          if (event.mood !== 'well') isUntroubled = false;
          run.feel(event.gateway, event.mood);
          return;
        case 'clock':
          aheadMs += event.hours * 3_600_000;
          run.setClock(aheadMs);
          return;
      }
    },
  };
}

/** Law 4: where a request with a deferred tool arrives, its decision can be read. */
function findUndurable(run: Run, { request, body }: ArrivedRequest): BrokenLaw | undefined {
  const flagged = [...body.matchAll(/"defer_loading":true\s*\}/g)].length;
  if (flagged === 0) return undefined;
  const stored = run.storedDecisions(request.session ?? '', request.agent ?? 'main');
  const defers = (text: string): boolean => {
    const { units = [] } = JSON.parse(text) as { readonly units?: readonly string[] };
    return request.toolsDeferred
      .filter((name) => name !== 'Placeholder')
      .every((name) => units.some((unit) => name === unit || name.startsWith(`${unit}__`)));
  };
  if (stored.some(defers)) return undefined;
  return new BrokenLaw(
    4,
    `a deferred tool arrived while the store says ${stored.join(' or ') || 'nothing at all'}`,
  );
}

/** Laws 1, 2 and 6. */
function checkBytes(upstream: string, sent: string, isRewritten: boolean): void {
  if (!isRewritten) {
    if (upstream !== sent)
      throw new BrokenLaw(1, 'a request without an edit reached the provider with other bytes');
    return;
  }
  const { deferred, namesLists } = additionsOf(upstream, sent);
  const isForcing = sent.includes('"tool_choice"');
  if ((deferred.length === 0 && !isForcing) || namesLists !== 1)
    throw new BrokenLaw(2, `${deferred.length} deferred tools and ${namesLists} names lists`);
  if (!isSentUndone(upstream, sent))
    throw new BrokenLaw(2, 'without our additions it is not what the client sent');
  const [illegality] = illegalitiesOf(upstream);
  if (illegality !== undefined) throw new BrokenLaw(6, illegality);
}

/** Law 7: a request is rewritten, or left alone for one counted reason, or answered with a counted error. */
function checkCounted(news: Counts): void {
  const outcomes = Object.entries(news)
    .filter(([name]) => /^(requests_rewritten|unchanged_reasons|own_errors)/.test(name))
    .reduce((sum, [, number]) => sum + number, 0);
  if (outcomes !== 1)
    throw new BrokenLaw(7, `${outcomes} outcomes are counted for one request: ${JSON.stringify(news)}`);
}

/** The rule by which a request went as it came in the midst of its thread. */
function exceptionOf(news: Counts): string | undefined {
  if (news['unchanged_reasons.other-model'] !== undefined) return 'O7: another model';
  if (news['flips'] !== undefined) return 'O3: flip';
  return news['record_unreadable'] === undefined ? undefined : 'O3: unreadable at a first request';
}

function difference(before: Counts, after: Counts): Counts {
  const grown = Object.entries(after).map(([name, number]) => [name, number - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, number]) => number !== 0));
}

function gatewayFor(via: Turn['via'], request: number): GatewayName {
  if (via !== 'about') return via;
  return request % 2 === 0 ? 'a' : 'b';
}

function promptOf(steps: readonly Step[]): string {
  return `@@${JSON.stringify(steps.map(scriptOf))}@@`;
}

function scriptOf({ type, tools }: Step): object {
  switch (type) {
    case 'call':
      return { tool: tools[0], input: { option_0: 'x' } };
    case 'calls':
      return { tools: tools.map((tool) => ({ tool, input: {} })) };
    case 'plain':
      return { blocks: [{ type: 'text', text: 'said without a thought' }] };
    case 'search':
      return { text: 'looking', search: 'calendar', limit: 1 };
    case 'text':
      return { text: 'said' };
  }
}

function environmentOf(environment: 'stated' | 'bare' | 'none'): BodyMessage {
  const text = '# Environment\n - Platform: linux\n';
  return { role: 'system', content: environment === 'bare' ? [] : [{ type: 'text', text }] };
}

function resultOf({ id }: BodyBlock): BodyBlock {
  return { type: 'tool_result', tool_use_id: id, content: 'done' };
}

/** O5: by what a conversation can be told from others that began alike. */
function firstAnswerIn(messages: readonly BodyMessage[]): string | undefined {
  const answers = messages.filter(({ role }) => role === 'assistant').flatMap(blocksOf);
  const telling = answers.find(({ type }) => type === 'tool_use' || type === 'thinking');
  return telling === undefined ? undefined : JSON.stringify([telling['id'], telling['signature']]);
}

function count(tally: Tally, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
