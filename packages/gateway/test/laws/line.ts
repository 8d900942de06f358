import type { ArrivedRequest } from '../support/simulated.ts';
import { unloadedCalls } from './additions.ts';
import type { Answer, Counts, GatewayName, Run } from './ground.ts';
import {
  BrokenLaw,
  checkContinuations,
  checkIdentity,
  checkOutcome,
  exceptionOf,
  findUndurable,
  isContinuation,
  type Outcome,
} from './request-laws.ts';
import { count, type Tally } from './tally.ts';
import type { Thread } from './thread.ts';
import { logged } from './thread-log.ts';

/** The client's line to the gateways: every request on it is held against the laws. */
export interface Line {
  /** Sends a request of a thread. `wasRefused`: the provider refused something on its way, whatever the client saw. */
  send(gateway: GatewayName, request: Request): Promise<SentAnswer>;
  /** Sends one request to both gateways at once, as a client's hasty retry comes; the answer is the first one's. */
  sendToBoth(request: Request): Promise<SentAnswer>;
  /** Sends what the gateway is to leave alone. */
  sendAside(gateway: GatewayName, path: string, request: Omit<Request, 'thread'>): Promise<Answer>;
  /** The gateway begins to count anew. */
  restarted(gateway: GatewayName): void;
  /** The run's records are gone: threads may be decided again. */
  lost(): void;
}

export type SentAnswer = Answer & { readonly wasRefused: boolean };

export interface Request {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly thread: Thread;
}

/** The gateway that a request went through, in its life at that time. */
interface Sender {
  readonly name: GatewayName;
  readonly life: string;
}

export const messagesPath = 'v1/messages?beta=true';

export function openLine(run: Run, tally: Tally): Line {
  const countedBefore: Record<GatewayName, Counts> = { a: {}, b: {} };
  const lives: Record<GatewayName, number> = { a: 0, b: 0 };
  const arrived: ArrivedRequest[] = [];
  const faults: BrokenLaw[] = [];
  /** Threads that one gateway gave up (RF4): the other goes on until the provider refuses its rewrite too. */
  const givenUp = new Set<string>();
  /** Threads whose claim got in unconfirmed: its row can be read until it is overwritten (O1). */
  const unsettled = new Set<string>();
  /** Threads whose searches the store did not take in time: only the gateway that saw them can put them back (Q2). */
  const unkept = new Set<string>();
  /** While one gateway may go by a row that the other is about to overwrite (O1) or replace (RF4). */
  let isRacing = false;
  let isLost = false;

  run.onArrival((request) => {
    arrived.push(request);
    const isExcused = isRacing || isLost || givenUp.has(keyOf(request)) || unsettled.has(keyOf(request));
    const fault = isExcused ? undefined : findUndurable(run, request);
    if (fault !== undefined) faults.push(fault);
  });

  async function post(
    name: GatewayName,
    path: string,
    { body, headers }: Pick<Request, 'body' | 'headers'>,
  ): Promise<{ readonly answer: Answer; readonly outcome: Outcome }> {
    arrived.length = 0;
    const answer = await run.post(name, `/anthropic/${path}`, { body, headers });
    const news = await newsOf(name);
    const asked = arrived.filter((request) => !isContinuation(request));
    const continued = arrived.filter(isContinuation);
    const [first] = asked;
    if (first !== undefined) checkContinuations(first, continued, news);
    if (continued.length > 0) count(tally, 'Q4: turns continued');
    return { answer, outcome: { sent: body, arrived: asked, status: answer.status, news } };
  }

  async function newsOf(name: GatewayName): Promise<Counts> {
    const counted = await run.counters(name);
    const news = difference(countedBefore[name], counted);
    countedBefore[name] = counted;
    count(tally, 'requests');
    const [fault] = faults;
    if (fault !== undefined) throw fault;
    return news;
  }

  /** Law 3. */
  function checkThread(thread: Thread, outcome: Outcome, by: Sender): void {
    const { sent, arrived, news } = outcome;
    const [first] = arrived;
    if (first === undefined) return count(tally, 'O3: come again');
    // Where the provider refused our rewrite and took the original, the original is what the thread sent.
    const answered = arrived.find(({ body, request }) => request.status === 200 && body === sent) ?? first;
    const next = logged(answered.body, sent, answered.request.renderedPrefixHashes);
    // O3: at a first request it means "nothing", which then holds like any decision.
    const isFirst = thread.log.isEmpty() && !next.sent.messages.some(({ role }) => role === 'assistant');
    if (isFirst && news['record_unreadable'] !== undefined) thread.unreadBy = by.life;
    noteTroubles(keyOf(first), news, by);
    const exception = isFirst ? undefined : exceptionOf(news);
    if (exception !== undefined) {
      count(tally, exception);
      thread.isBroken = true;
      // What was sent before is what no copy of the thread goes on from.
      if (givenUp.has(keyOf(first))) thread.log.forget();
      return;
    }
    if (next.hashes.length === 0) return;
    const move = thread.log.findMove(next);
    if (move !== undefined) {
      const excuse = excuseFor(thread, keyOf(first), { by, news });
      if (excuse === undefined) throw new BrokenLaw(3, `${move}; counted: ${JSON.stringify(news)}`);
      count(tally, excuse);
      thread.isBroken = true;
    }
    // Two gateways that disagree about a thread go on to, until the provider has told both.
    if (move !== undefined || givenUp.has(keyOf(first))) thread.log.forget();
    thread.log.add(next);
  }

  /** Q2: what the provider's own searches loaded has to be in the transcript that it gets, whoever was shown them. */
  function checkLoads(thread: Thread, { sent, arrived, news }: Outcome): void {
    const [first] = arrived;
    thread.callsFreely ||= news['requests_rewritten'] !== 1 || sent.includes('"tool_choice"');
    if (first === undefined || thread.callsFreely || thread.isBroken || isDisputed(keyOf(first), thread))
      return;
    const [call] = unloadedCalls(first.body);
    if (call !== undefined)
      throw new BrokenLaw(3, `${call} was called, and nothing in the transcript loads it`);
    if (sent.includes('"tool_use"')) count(tally, 'Q2: transcripts whose calls are loaded');
  }

  function noteTroubles(key: string, news: Counts, { name }: Sender): void {
    if (news['retries_400'] !== undefined) givenUp.add(key);
    if (news['unwritten_turns'] !== undefined) unkept.add(key);
    const isUnconfirmed = news['nothing_reasons.claim-unconfirmed'] !== undefined;
    if (isUnconfirmed && run.moodOf(name) === 'unanswered') unsettled.add(key);
  }

  function isDisputed(key: string, { unreadBy }: Thread): boolean {
    return isLost || givenUp.has(key) || unsettled.has(key) || unkept.has(key) || unreadBy !== undefined;
  }

  /** The rule that lets a thread be decided otherwise than before. */
  function excuseFor(
    { unreadBy }: Thread,
    key: string,
    { by, news }: { readonly by: Sender; readonly news: Counts },
  ): string | undefined {
    if (givenUp.has(key)) return 'RF2, RF4: given up by one gateway, not yet by the other';
    if (unsettled.has(key)) return 'O1: read before it was overwritten';
    if (unreadBy !== undefined && unreadBy !== by.life)
      return 'O3: unreadable to one gateway, decided by the other';
    if (unkept.has(key)) return 'Q2: searches that could not be kept';
    if (!isLost) return undefined;
    return news['rebuilds'] === undefined ? 'O5: decided again after a loss' : 'O4: rebuilt';
  }

  return {
    async send(name, { thread, ...request }) {
      const { answer, outcome } = await post(name, messagesPath, request);
      const { arrived: all, news } = outcome;
      checkOutcome(outcome);
      if (news['turned_off'] !== undefined && !run.isRefusing())
        throw new BrokenLaw(3, 'deferral is turned off though the provider takes what fits the prefix');
      if (news['requests_rewritten'] === 1) count(tally, 'requests rewritten');
      checkThread(thread, outcome, { name, life: `${name}${lives[name]}` });
      checkLoads(thread, outcome);
      const wasRefused = all.some(({ request }) => request.status === 400) && !run.isRefusing();
      return { ...answer, wasRefused };
    },
    async sendToBoth({ thread, ...request }) {
      arrived.length = 0;
      const postTo = (name: GatewayName) => run.post(name, `/anthropic/${messagesPath}`, request);
      const isUnanswered = (['a', 'b'] as const).some((name) => run.moodOf(name) === 'unanswered');
      isRacing = isUnanswered || /"role":\s*"assistant"/.test(request.body);
      const [answer] = await Promise.all([postTo('a'), postTo('b')]);
      isRacing = false;
      const news = [await newsOf('a'), await newsOf('b')];
      const [first, ...others] = arrived.filter((request) => !isContinuation(request));
      if (first === undefined || isDisputed(keyOf(first), thread) || news.some(isTroubled)) {
        // One of them goes another way for a counted reason, and which answer the client kept is its affair.
        count(tally, 'O1, O3, RF1: two gateways at once, one of them in trouble');
        if (first !== undefined) givenUp.add(keyOf(first));
        thread.isBroken = true;
      } else {
        if (others.some(({ body }) => body !== first.body))
          throw new BrokenLaw(3, 'two gateways sent different bytes for one request at once (O2)');
        const outcome = { sent: request.body, arrived: [first], status: answer.status, news: news[0] ?? {} };
        checkThread(thread, outcome, { name: 'a', life: `a${lives.a}` });
      }
      return { ...answer, wasRefused: arrived.some(({ request: { status } }) => status === 400) };
    },
    async sendAside(name, path, request) {
      const { answer, outcome } = await post(name, path, request);
      if (path === messagesPath) checkOutcome(outcome);
      for (const { body } of outcome.arrived) checkIdentity(body, request.body);
      return answer;
    },
    restarted(name) {
      countedBefore[name] = {};
      lives[name] += 1;
    },
    lost() {
      isLost = true;
    },
  };
}

/** Whether a gateway could not do by a request as its thread is to be done by. */
function isTroubled(news: Counts): boolean {
  return Object.keys(news).some((name) =>
    /^(?:own_errors|record_unreadable|retries_400|nothing_reasons\.(?:claim-unconfirmed|opt-out))/.test(name),
  );
}

function keyOf({ request: { session, agent } }: ArrivedRequest): string {
  return JSON.stringify([session, agent]);
}

function difference(before: Counts, after: Counts): Counts {
  const grown = Object.entries(after).map(([name, number]) => [name, number - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, number]) => number !== 0));
}
