import type { ToolCallPart } from '@quartermaster/agent/messages';
import { hashInput } from '@quartermaster/agent/permissions';

/** How often one call may be made in a row before it is answered with a warning (RL4). */
export const maxIdenticalCalls = 5;

/** What a call is: new, a repetition that the model is told of, or one that goes on after it was told. */
export type Repetition = 'none' | 'told' | 'stuck';

/** Sees a model that makes one call again and again. */
export interface LoopWatch {
  /** Of the calls of one answer, in their order; those of tools that poll are none. */
  noteAnswer(calls: readonly ToolCallPart[], isPolling: (tool: string) => boolean): readonly Repetition[];
}

/** Sees the calls of one turn. */
export function createLoopWatch(): LoopWatch {
  let last: string | undefined;
  let count = 0;
  let told: string | undefined;

  function note({ name, input }: ToolCallPart, toldBefore: string | undefined): Repetition {
    const call = `${name} ${hashInput(input)}`;
    count = call === last ? count + 1 : 1;
    last = call;
    if (count < maxIdenticalCalls) return 'none';
    told = call;
    return call === toldBefore ? 'stuck' : 'told';
  }
  return {
    noteAnswer(calls, isPolling) {
      const toldBefore = told; // of an earlier answer: within one, the model could not know yet
      return calls.map((call) => (isPolling(call.name) ? 'none' : note(call, toldBefore)));
    },
  };
}
