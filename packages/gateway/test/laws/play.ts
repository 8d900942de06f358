import { randomUUID } from 'node:crypto';
import type { BodyBlock } from '../support/anthropic-body.ts';
import { contentOfStream } from '../support/stream-content.ts';
import { referencesIn } from './additions.ts';
import { type Conversation, printRequest, takesForcedTools, toolsOf, withTool } from './coding-client.ts';
import type { GatewayName, Ground, Run } from './ground.ts';
import { messagesPath, openLine, type SentAnswer } from './line.ts';
import { BrokenLaw } from './request-laws.ts';
import type { Event, ModelId, Scenario } from './scenario.ts';
import { count, type Tally } from './tally.ts';
import {
  addAnswer,
  addPrompt,
  addPromptBeforeAnswer,
  compactThread,
  copyThread,
  dropThinking,
  firstAnswerIn,
  keepThread,
  openThread,
  type Route,
  scriptOf,
  type Thread,
} from './thread.ts';
import { createThreadLog } from './thread-log.ts';

interface Session {
  readonly id: string;
  readonly threads: Map<string, Thread>;
}

type Turn = Extract<Event, { type: 'turn' }>;
type Surrounding = Extract<
  Event,
  { readonly type: 'refusing' | 'restart' | 'lose-records' | 'store' | 'clock' }
>;
type Compaction = Extract<Event, { type: 'compact' }>;
type Send = (body: string, request: number) => Promise<SentAnswer>;

/** Plays a scenario; rejects with the first broken law. */
export async function play(ground: Ground, scenario: Scenario, tally: Tally): Promise<void> {
  await using run = await ground.begin(scenario);
  const player = createPlayer(run, scenario, tally);
  for (const event of scenario.events) {
    count(tally, `event ${event.type}`);
    await player.play(event);
  }
}

function createPlayer(run: Run, { client }: Scenario, tally: Tally) {
  const line = openLine(run, tally);
  const earlier: Session[] = [];
  let session = openSession();
  let model: ModelId = client.model;
  let aheadMs = 0;
  let prompts = 0;
  /** Whether every background write of the run has had its chance. */
  let isUntroubled = true;

  function threadOf(agent: Turn['agent']): Thread {
    const thread = session.threads.get(agent) ?? openThread(agent, client);
    session.threads.set(agent, thread);
    return thread;
  }

  function conversationOf({ agent, tools, messages }: Thread, route: Route): Conversation {
    return { traits: client, session: session.id, agent, model, tools, messages: messages[route] };
  }

  function headersOf(agent: string | undefined, isBypassing = false): Readonly<Record<string, string>> {
    return {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'per-turn-control-2026-07-01',
      'x-api-key': 'sk-test',
      ...identityOf(agent),
      ...(isBypassing ? { 'x-quartermaster-bypass': 'true' } : {}),
    };
  }

  /** A client that is not known has no word for its sub-agents: each is a session of its own. */
  function identityOf(agent: string | undefined): Readonly<Record<string, string>> {
    if (!client.echoes) return { 'x-session-id': [session.id, agent ?? []].flat().join(' ') };
    const own = { 'x-claude-code-session-id': session.id };
    return agent === undefined ? own : { ...own, 'x-claude-code-agent-id': agent };
  }

  async function sendDirectly(
    body: string,
    agent: string | undefined,
    path = messagesPath,
  ): Promise<SentAnswer> {
    const answer = await run.postDirectly(`/${path}`, { body, headers: headersOf(agent) });
    return { ...answer, wasRefused: answer.status === 400 };
  }

  /** The prompts of a script are told apart, as people's are. */
  function promptOf(script: string): string {
    prompts += 1;
    return `Prompt ${prompts} ✓. ${script}`;
  }

  /** Sends a route's conversation until the model ends its turn; says whether something was refused that need not be. */
  async function converse(
    thread: Thread,
    {
      route,
      send,
      forced,
    }: { readonly route: Route; readonly send: Send; readonly forced?: string | undefined },
  ): Promise<{ readonly isDone: boolean; readonly isRefused: boolean }> {
    let isRefused = false;
    let repairs = 0;
    for (let request = 0; request < 12; request += 1) {
      const body = printRequest(conversationOf(thread, route), { forced });
      // Thinking that the twin has lost already may still stand here when the client changes what it is bound to.
      const isOwnDoing = route === 'gateway' && thread.log.isChanged(body);
      const answer = await send(body, request);
      isRefused ||= answer.wasRefused && !isOwnDoing;
      if (answer.status === 200) {
        const content = contentOf(answer.body);
        if (content === undefined) return { isDone: false, isRefused };
        checkShown(route, content);
        if (addAnswer(thread, route, content).isDone) return { isDone: true, isRefused };
      } else if (answer.status !== 503) {
        repairs += 1;
        if (answer.status !== 400 || repairs > 1) return { isDone: false, isRefused };
        // As Claude Code does: the same request without the thinking.
        dropThinking(thread, [route]);
        if (route === 'gateway') thread.log.forget();
      }
    }
    return { isDone: false, isRefused: true };
  }

  /** Q2, Q4: what a client is shown that is not known to send searches back. */
  function checkShown(route: Route, content: readonly BodyBlock[]): void {
    const isHidden = route === 'gateway' && !client.echoes && !client.extras.includes('own-search');
    const search = content.find(
      ({ type }) => type === 'server_tool_use' || type === 'tool_search_tool_result',
    );
    if (isHidden && search !== undefined)
      throw new BrokenLaw(2, 'a search reached a client that is to see none');
  }

  /** Both ways; law 3 is broken where the provider refused only what came through us. */
  async function converseTwice(
    thread: Thread,
    send: Send,
    forced?: string,
  ): Promise<{ readonly isDone: boolean }> {
    const gateway = await converse(thread, { route: 'gateway', send, forced });
    const directly: Send = (body) => sendDirectly(body, thread.agent);
    const direct = await converse(thread, { route: 'direct', send: directly, forced });
    if (gateway.isRefused && !direct.isRefused) {
      if (!thread.isBroken)
        throw new BrokenLaw(3, 'the provider refused what it would have taken without us');
      count(tally, 'refused after an exception');
    }
    count(tally, direct.isRefused ? 'turns that the client itself broke' : 'turns');
    return { isDone: gateway.isDone && direct.isDone };
  }

  async function playTurn({ agent, steps, via, opening, forced: wished, isBypassing }: Turn): Promise<void> {
    const thread = threadOf(agent);
    const putBack = keepThread(thread);
    const canForce = takesForcedTools.has(model) && thread.tools.includes(wished ?? '');
    const forced = canForce ? wished : undefined;
    const headers = headersOf(thread.agent, isBypassing);
    const send: Send = async (body, request) => {
      const name = gatewayFor(via, request);
      if (request === 0 && opening === 'answer-lost') await line.send(name, { body, headers, thread });
      if (request === 0 && opening === 'both') return line.sendToBoth({ body, headers, thread });
      return line.send(name, { body, headers, thread });
    };
    addPrompt(thread, promptOf(scriptOf(steps)), client);
    if (opening === 'prompted-twice') {
      const body = printRequest(conversationOf(thread, 'gateway'), { forced });
      await line.send(gatewayFor(via, 0), { body, headers, thread });
      addPromptBeforeAnswer(thread, promptOf(scriptOf(steps)));
    }
    const { isDone } = await converseTwice(thread, send, forced);
    if (!isDone) putBack();
  }

  async function compact({ keepsThinking }: Compaction): Promise<void> {
    const thread = threadOf('main');
    if (thread.messages.gateway.length === 0) return;
    const putBack = keepThread(thread);
    const headers = headersOf(thread.agent);
    addPrompt(thread, promptOf(scriptOf([{ type: 'text', tools: [] }])), client);
    const { isDone } = await converseTwice(thread, (body) => line.send('a', { body, headers, thread }));
    const { environment } = client;
    if (isDone) compactThread(thread, promptOf('What was said before.'), { keepsThinking, environment });
    else putBack();
  }

  /** The copy is held to what its origin has sent, if a request of the origin has shown by what it can be known. */
  function fork(): void {
    const main = session.threads.get('main');
    earlier.push(session);
    session = openSession();
    if (main === undefined || main.messages.gateway.length === 0) return;
    const answer = firstAnswerIn(main.messages.gateway);
    const isShown = main.log.requests.some(({ sent }) => firstAnswerIn(sent.messages) === answer);
    const isKnown = isUntroubled && answer !== undefined && isShown;
    if (!isKnown) count(tally, 'O5: a fork of what no request has shown yet');
    const copy = copyThread(main, createThreadLog(isKnown ? main.log.requests : []));
    copy.isBroken ||= !isKnown;
    session.threads.set('main', copy);
  }

  function changeModel(next: ModelId, keepsThinking: boolean): void {
    if (next === model) return;
    model = next;
    if (!keepsThinking) for (const thread of allThreads()) dropThinking(thread);
  }

  function* allThreads(): Generator<Thread> {
    for (const { threads } of [session, ...earlier]) yield* threads.values();
  }

  function dropTool(tool: string): void {
    const thread = threadOf('main');
    if (tool === 'Bash') return;
    if (referencesIn(thread.messages.gateway).includes(tool)) count(tally, 'Q3: a loaded tool goes');
    thread.tools = thread.tools.filter((name) => name !== tool);
  }

  /** What is no conversation gets the answer that it would have got without us. */
  async function ask(body: string, path = messagesPath): Promise<void> {
    const through = await line.sendAside('a', path, { body, headers: headersOf(undefined) });
    const directly = await sendDirectly(body, undefined, path);
    if (through.status !== directly.status)
      throw new BrokenLaw(1, `an answer of ${through.status} instead of ${directly.status}`);
  }

  function askAside(tools: 'none' | 'server'): Promise<void> {
    const extras = tools === 'none' ? [] : (['server-tool'] as const);
    const messages = [{ role: 'user', content: 'A title, please.' }];
    const conversation = { ...conversationOf(threadOf('main'), 'gateway'), messages };
    return ask(printRequest(conversation, { tools: toolsOf({ traits: { ...client, extras }, tools: [] }) }));
  }

  function askCount(): Promise<void> {
    const messages = [{ role: 'user', content: 'Count this.' }];
    const body = { model, messages, tools: toolsOf({ traits: client, tools: client.tools }) };
    return ask(JSON.stringify(body), 'v1/messages/count_tokens?beta=true');
  }

  /** What happens around the conversations. */
  function befall(event: Surrounding): void | Promise<void> {
    switch (event.type) {
      case 'refusing':
        return run.setRefusing(event.isOn);
      case 'restart':
        isUntroubled &&= event.how === 'stopped';
        line.restarted(event.gateway);
        return run.restart(event.gateway, event.how);
      case 'lose-records':
        isUntroubled = false;
        for (const thread of allThreads()) thread.isBroken = true;
        line.lost();
        return run.loseRecords();
      case 'store':
        isUntroubled &&= event.mood === 'well';
        return run.feel(event.gateway, event.mood);
      case 'clock':
        aheadMs += event.hours * 3_600_000;
        return run.setClock(aheadMs);
    }
  }

  /** What the client's user does. */
  function act(event: Exclude<Event, Surrounding>): void | Promise<void> {
    switch (event.type) {
      case 'turn':
        return playTurn(event);
      case 'side':
        return askAside(event.tools);
      case 'count':
        return askCount();
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
        return compact(event);
      case 'late-tool':
        threadOf('main').tools = withTool(threadOf('main').tools, event.tool);
        return;
      case 'drop-tool':
        return dropTool(event.tool);
      case 'model':
        return changeModel(event.model, event.keepsThinking);
      case 'opt-out':
        return run.optOut(event.gateway, session.id);
    }
  }

  return {
    play: async (event: Event): Promise<void> => (isSurrounding(event) ? befall(event) : act(event)),
  };
}

/** What an answer says; `undefined` where it is an error, told in its stream. */
function contentOf(body: string): readonly BodyBlock[] | undefined {
  if (!body.startsWith('{')) return contentOfStream(body);
  return (JSON.parse(body) as { readonly content: readonly BodyBlock[] }).content;
}

function isSurrounding(event: Event): event is Surrounding {
  return ['refusing', 'restart', 'lose-records', 'store', 'clock'].includes(event.type);
}

function openSession(): Session {
  return { id: randomUUID(), threads: new Map() };
}

function gatewayFor(via: Turn['via'], request: number): GatewayName {
  if (via !== 'about') return via;
  return request % 2 === 0 ? 'a' : 'b';
}
