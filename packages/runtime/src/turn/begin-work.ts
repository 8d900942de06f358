import { createGate } from '@quartermaster/agent/permissions';
import type { AskPerson } from '@quartermaster/agent/permissions';
import { createServices } from '@quartermaster/agent/services';
import type { TokenUsage } from '@quartermaster/agent/messages';
import { createFallbackModel } from '@quartermaster/providers';
import type { Fallback } from '@quartermaster/providers';
import type { TurnEvent, TurnEventContent } from '@quartermaster/agent/turns';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
import { addedTools } from '../toolsets/catalogue/added-tools.ts';
import { holdSession } from '../sessions/held-session.ts';
import type { HeldSession } from '../sessions/held-session.ts';
import { titleOf } from '../sessions/title.ts';
import { describeError } from './describe-error.ts';
import type { Engine } from './engine.ts';
import { runLoop } from './loop.ts';
import type { Work } from './work.ts';

/** One turn, for the root agent and all that work for it. */
export interface Turn {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Left out where nobody can be asked. */
  readonly ask?: AskPerson;
  takeSteering(): readonly string[];
  send(event: TurnEvent): Promise<void>;
  spend(usage: TokenUsage): void;
}

/** Sets `agent` to work in `session`. */
export function beginWork(engine: Engine, turn: Turn, agent: RunnableAgent, session: HeldSession): Work {
  const { registry, approvals, limits, handOffs } = engine;
  const signal = AbortSignal.any([turn.signal, session.lost]);
  const show = (event: TurnEventContent): Promise<void> =>
    turn.send({ turn: turn.id, session: session.ref, agent: agent.name, ...event });
  const { ask } = turn;
  const askAloud: AskPerson | undefined =
    ask &&
    (async (request, options) => {
      await show({ type: 'approval-request', request });
      return await ask(request, options);
    });
  const fallbacks: Fallback[] = [];
  const { restUntil, hold } = engine;
  const onFallback = (fallback: Fallback): void => void fallbacks.push(fallback);
  const work: Work = {
    agent,
    model: createFallbackModel(agent.models, { clock: hold.clock, restUntil, onFallback }),
    session,
    registry,
    gate: createGate(agent.permissions, registry, { approvals, ...(askAloud && { ask: askAloud }) }),
    limits,
    signal,
    show,
    spend: (usage) => turn.spend(usage),
    takeSteering: () => turn.takeSteering(),
    createServices: (keys) => createServices(keys, { ...engine.services, session: session.ref }),
    openToolbox: () => agent.openToolbox(addedTools(session.history())),
    within: (run) =>
      handOffs.within(
        (child, task, callId) => handOver({ engine, turn, parent: work }, child, task, callId),
        run,
      ),
    progress: { outdated: new Set(), hasMadeRoom: false, hasGivenUpCompacting: false, fallbacks },
  };
  return work;
}

interface Giver {
  readonly engine: Engine;
  readonly turn: Turn;
  readonly parent: Work;
}

/**
 * Runs a sub-agent in a session of its own, which works for its parent's; its events go where the parent's go. It ends
 * with the parent's turn at the latest. Throws what failed it: the parent's model is told.
 */
async function handOver(giver: Giver, child: string, task: string, callId: string): Promise<string> {
  const { engine, turn, parent } = giver;
  const agent = engine.agents.get(child);
  if (agent === undefined) throw new TypeError(`expected an agent of the graph, got "${child}".`);
  const ref = { ...parent.session.ref, session: engine.hold.ids() };
  const create = { title: titleOf(task), origin: engine.origin, parent: parent.session.ref.session };
  const session = await holdSession(ref, { turn: turn.id, create }, engine.hold);
  const ownTurn = { ...turn, signal: parent.signal, takeSteering: () => [] };
  const work = beginWork(engine, ownTurn, agent, session);
  try {
    await session.append({ type: 'message', message: userMessage(task), agent: child });
    return await runLoop(work);
  } catch (error) {
    await reportFailure(work, error, { isRecoverable: true });
    throw error;
  } finally {
    await session.release();
    await parent.session.append({ type: 'sub-session', session: ref.session, agent: child, callId });
  }
}

/** Shows what failed a session's work, and keeps it with the session as far as that is possible. */
export async function reportFailure(
  { session, signal, show }: Work,
  error: unknown,
  { isRecoverable }: { readonly isRecoverable: boolean },
): Promise<void> {
  if (signal.aborted && !session.lost.aborted) return; // cancelled
  const { code, message } = describeError(error);
  await show({ type: 'error', code, message, recoverable: isRecoverable });
  if (session.lost.aborted) return;
  // Where the store is what failed, this fails too, and the turn ends by what failed first.
  await session.append({ type: 'error', code, message }).catch(() => undefined);
}

/** What is said to an agent, as it is stored. */
export function userMessage(text: string) {
  return { role: 'user', content: [{ type: 'text', text }] } as const;
}
