import type { SessionRef } from '@quartermaster/agent';
import { holdSession } from '../sessions/held-session.ts';
import { beginWork } from './begin-work.ts';
import { compact } from './compaction.ts';
import type { Engine } from './engine.ts';

/** Compacts a session in which no turn runs (RL3); whether there was anything to compact. */
export async function compactSession(engine: Engine, ref: SessionRef, signal: AbortSignal): Promise<boolean> {
  const turn = engine.hold.ids();
  const session = await holdSession(ref, { turn }, engine.hold);
  const agent = engine.agents.get(engine.root);
  if (agent === undefined) throw new TypeError(`expected a root agent; "${engine.root}" is none.`);
  try {
    const quiet = { id: turn, signal, takeSteering: () => [], send: async () => {}, spend: () => {} };
    return await compact(beginWork(engine, quiet, agent, session), 'command');
  } finally {
    await session.release();
  }
}
