import type { Body } from '../support/anthropic-body.ts';
import { additionsOf, type Additions } from './additions.ts';
import { blocksOf } from './coding-client.ts';

/** One request of a thread that the provider took: what the client sent, and what was rendered. */
export interface LoggedRequest {
  readonly sent: Body;
  readonly additions: Additions;
  /** One per position, of everything up to there. */
  readonly hashes: readonly string[];
}

/** The requests of one thread, for law 3: the slow and obvious way, each against all before it. */
export interface ThreadLog {
  readonly requests: readonly LoggedRequest[];
  isEmpty(): boolean;
  /** What is wrong with `hashes` as the next request's; `undefined` where every prefix stands that must. */
  findMove(request: LoggedRequest): string | undefined;
  /** Whether the client itself changed something that an earlier request had rendered. */
  isChanged(sent: string): boolean;
  add(request: LoggedRequest): void;
  /** Earlier requests bind no more. */
  forget(): void;
}

export function createThreadLog(earlier: readonly LoggedRequest[] = []): ThreadLog {
  const requests = [...earlier];
  return {
    requests,
    isEmpty: () => requests.length === 0,
    findMove(request) {
      for (const [index, before] of requests.entries()) {
        if (!mustExtend(before, request) || isPrefix(before.hashes, request.hashes)) continue;
        const place = before.hashes.findIndex((hash, at) => hash !== request.hashes[at]);
        return `the prompt of request ${index} moved at position ${place} of ${before.hashes.length}`;
      }
      return undefined;
    },
    isChanged(sent) {
      const body = JSON.parse(sent) as Body;
      return requests.some(({ additions, ...before }) => {
        const now = { sent: body, additions, hashes: [] };
        return !mustExtend({ additions, ...before }, now);
      });
    },
    add: (request) => requests.push(request),
    forget: () => (requests.length = 0),
  };
}

export function logged(upstream: string, sent: string, hashes: readonly string[]): LoggedRequest {
  return { sent: JSON.parse(sent) as Body, additions: additionsOf(upstream, sent), hashes };
}

/** Whether the client itself left everything before in its place, tools aside that are deferred and so not rendered. */
function mustExtend(before: LoggedRequest, now: LoggedRequest): boolean {
  if (isOpeningMoving(before, now)) return false;
  const deferred = new Set([...before.additions.deferred, ...now.additions.deferred]);
  return isPrefix(renderedOf(before.sent, deferred), renderedOf(now.sent, deferred));
}

/** RW2: a message of our own stands after the opening run of user messages, which grows until the first answer. */
function isOpeningMoving(before: LoggedRequest, now: LoggedRequest): boolean {
  const openingOf = ({ sent }: LoggedRequest): number => {
    const end = sent.messages.findIndex(({ role }) => role === 'assistant');
    return end === -1 ? sent.messages.length : end;
  };
  return before.additions.isInOwnMessage && openingOf(before) < openingOf(now);
}

/** What the provider would read of the client's own request: marks and spelling gone. */
function renderedOf(body: Body, hidden: ReadonlySet<string>): readonly string[] {
  const { thinking } = body as Body & { readonly thinking?: unknown };
  const tools = body.tools.filter(({ name, defer_loading: isOff }) => isOff !== true && !hidden.has(name));
  const system = typeof body.system === 'string' ? [] : (body.system ?? []);
  return [
    JSON.stringify([body.model, thinking, body.tool_choice]),
    ...tools.map(printed),
    ...system.map(printed),
    ...body.messages.flatMap((message) => [
      ...blocksOf(message).map((block) => message.role + printed(block)),
      ...(message.output_config === undefined ? [] : [JSON.stringify(message.output_config)]),
    ]),
  ];
}

function printed({ cache_control: _mark, ...rest }: { readonly cache_control?: unknown }): string {
  return JSON.stringify(rest);
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.length <= long.length && short.every((item, index) => item === long[index]);
}
