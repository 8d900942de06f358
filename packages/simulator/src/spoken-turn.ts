import type { Step, StepCall } from './script.ts';
import { defaultThought } from './thought.ts';

/** What the model says in one turn, before an API gives it its shape. */
export interface SpokenTurn {
  readonly thought: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly StepCall[];
}

/**
 * Says a step where nothing has to be searched for: a tool that the model does not have is named in the text, and a
 * turn that would say nothing says "ok".
 */
export function speak(
  step: Step,
  {
    isThinking,
    maxCalls,
    canCall,
  }: {
    readonly isThinking: boolean;
    readonly maxCalls: number;
    readonly canCall: (name: string) => boolean;
  },
): SpokenTurn {
  const wanted = step.calls.slice(0, maxCalls);
  const calls = wanted.filter((call) => call.force || canCall(call.tool));
  const lacking = wanted.filter((call) => !calls.includes(call)).map((call) => `no tool ${call.tool}`);
  const text = [...(step.text === undefined ? [] : [step.text]), ...lacking].join('\n');
  const isSilent = text === '' && calls.length === 0;
  return {
    thought: step.thinking ?? (isThinking ? defaultThought : undefined),
    text: isSilent ? (step.text ?? 'ok') : text === '' ? undefined : text,
    calls,
  };
}
