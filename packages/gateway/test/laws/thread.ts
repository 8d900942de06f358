import type { BodyBlock, BodyMessage } from '../support/anthropic-body.ts';
import { blocksOf, withoutThinking } from './coding-client.ts';
import type { ClientTraits, Step } from './scenario.ts';
import { createThreadLog, type ThreadLog } from './thread-log.ts';

/** Through a gateway, or straight to the provider's twin. */
export type Route = 'gateway' | 'direct';

const routes: readonly Route[] = ['gateway', 'direct'];

/** One conversation with the gateways and its twin with none: the same prompts, answers of their own. */
export interface Thread {
  readonly agent: string | undefined;
  readonly log: ThreadLog;
  tools: readonly string[];
  messages: Readonly<Record<Route, readonly BodyMessage[]>>;
  /** The client states its environment after the next prompt. */
  owesEnvironment: boolean;
  /** A counted exception has moved its prefix: the provider may refuse the thinking made before. */
  isBroken: boolean;
  /** A request of it has gone with nothing deferred, or with a tool forced: tools may have been called without a search. */
  callsFreely: boolean;
  /** The gateway, in its life at that time, that could not read the record at the first request: no other knows of it. */
  unreadBy: string | undefined;
}

export function openThread(agent: 'main' | 'sub', client: ClientTraits): Thread {
  return {
    agent: agent === 'main' ? undefined : 'a0123456789abcdef',
    log: createThreadLog(),
    tools: agent === 'main' ? client.tools : client.tools.filter((name) => name !== 'Notebook'),
    messages: { gateway: [], direct: [] },
    owesEnvironment: client.environment !== 'none',
    isBroken: false,
    callsFreely: false,
    unreadBy: undefined,
  };
}

/** A copy under another session, as a fork makes it; `log` is what the copy is held to. */
export function copyThread(thread: Thread, log: ThreadLog): Thread {
  return { ...thread, log };
}

/** What is put back when a turn fails: the client drops its prompt. */
export function keepThread(thread: Thread): () => void {
  const { messages, owesEnvironment } = thread;
  return () => {
    thread.messages = messages;
    thread.owesEnvironment = owesEnvironment;
  };
}

export function addPrompt(thread: Thread, text: string, { environment }: ClientTraits): void {
  const message = { role: 'user', content: text };
  const added = thread.owesEnvironment ? [message, environmentMessage(environment)] : [message];
  thread.owesEnvironment = false;
  change(thread, (messages) => [...messages, ...added]);
}

/** A second prompt before an answer: behind the last user message, a system message of the client's stays the last. */
export function addPromptBeforeAnswer(thread: Thread, text: string): void {
  const message = { role: 'user', content: text };
  change(thread, (messages) => {
    const at = messages.findLastIndex(({ role }) => role === 'user') + 1;
    return [...messages.slice(0, at), message, ...messages.slice(at)];
  });
}

/** Adds an answer with the results of its calls, of which there may be none. */
export function addAnswer(
  thread: Thread,
  route: Route,
  content: readonly BodyBlock[],
): { readonly isDone: boolean } {
  const calls = content.filter(({ type }) => type === 'tool_use');
  const results = { role: 'user', content: calls.map(resultOf) };
  const added = [{ role: 'assistant', content }, ...(calls.length === 0 ? [] : [results])];
  thread.messages = { ...thread.messages, [route]: [...thread.messages[route], ...added] };
  return { isDone: calls.length === 0 };
}

/** What Claude Code keeps after /compact: a summary, its system message emptied, the last answer. */
export function compactThread(
  thread: Thread,
  summary: string,
  { keepsThinking, environment }: { readonly keepsThinking: boolean; readonly environment: string },
): void {
  const kinds = keepsThinking ? ['thinking', 'text'] : ['text'];
  const emptied = environment === 'none' ? [] : [{ role: 'system', content: [] }];
  change(thread, (messages) => {
    const last = messages.at(-1);
    const content = last === undefined ? [] : blocksOf(last).filter(({ type }) => kinds.includes(type));
    return [{ role: 'user', content: summary }, ...emptied, { role: 'assistant', content }];
  });
  thread.owesEnvironment = environment !== 'none';
  thread.log.forget();
}

/** The conversation without its thinking, on one route or on both. */
export function dropThinking(thread: Thread, on: readonly Route[] = routes): void {
  change(thread, (messages, route) => (on.includes(route) ? withoutThinking(messages) : messages));
}

/** O5: by what a conversation can be told from others that began alike. */
export function firstAnswerIn(messages: readonly BodyMessage[]): string | undefined {
  const answers = messages.filter(({ role }) => role === 'assistant').flatMap(blocksOf);
  const telling = answers.find(({ type }) => type === 'tool_use' || type === 'thinking');
  return telling === undefined ? undefined : JSON.stringify([telling['id'], telling['signature']]);
}

/** What the simulated model is told to do, turn by turn. */
export function scriptOf(steps: readonly Step[]): string {
  return `@@${JSON.stringify(steps.map(stepOf))}@@`;
}

function stepOf({ type, tools }: Step): object {
  switch (type) {
    case 'call':
      return { tool: tools[0], input: { option_0: 'x' } };
    case 'calls':
      return { tools: tools.map((tool) => ({ tool, input: {} })) };
    case 'plain':
      return { blocks: [{ type: 'text', text: 'said without a thought' }] };
    case 'search':
      return { text: 'looking', search: 'calendar', limit: 1 };
    case 'pause':
      return { text: 'looking', search: 'planner', limit: 1, stop: 'pause_turn' };
    case 'search-only':
      return { search: 'notebook', limit: 1 };
    case 'text':
      return { text: 'said' };
  }
}

type Changed = (messages: readonly BodyMessage[], route: Route) => readonly BodyMessage[];

function change(thread: Thread, changed: Changed): void {
  const { gateway, direct } = thread.messages;
  thread.messages = { gateway: changed(gateway, 'gateway'), direct: changed(direct, 'direct') };
}

function environmentMessage(environment: ClientTraits['environment']): BodyMessage {
  const text = '# Environment\n - Platform: linux\n';
  return { role: 'system', content: environment === 'bare' ? [] : [{ type: 'text', text }] };
}

function resultOf({ id }: BodyBlock): BodyBlock {
  return { type: 'tool_result', tool_use_id: id, content: 'done' };
}
