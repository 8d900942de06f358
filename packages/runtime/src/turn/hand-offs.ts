import { AsyncLocalStorage } from 'node:async_hooks';
import type { HandOff } from '@quartermaster/agent/engine';
import { RuntimeError } from '../runtime-error.ts';

/** Gives a task to a sub-agent of the agent that is at work, and answers its last words. */
export type Route = (child: string, task: string, callId: string) => Promise<string>;

/** Joins the tools that hand work over, which are registered once, with the turn that each call of them is in. */
export interface HandOffs {
  /** For `registerHandOffTools`. */
  readonly handOff: HandOff;
  /** Runs a call of an agent whose hand-offs go by `route`. */
  within<Value>(route: Route, run: () => Promise<Value>): Promise<Value>;
}

/** A place where turns and hand-offs meet. */
export function createHandOffs(): HandOffs {
  const routes = new AsyncLocalStorage<Route>();
  return {
    handOff: async (child, task, { callId }) => {
      const route = routes.getStore();
      if (route !== undefined) return await route(child, task, callId);
      throw new RuntimeError(
        'RUNTIME_NO_TURN',
        `Expected the tool that hands work to ${child} to be called by an agent in a turn; it was called elsewhere.`,
      );
    },
    within: (route, run) => routes.run(route, run),
  };
}
