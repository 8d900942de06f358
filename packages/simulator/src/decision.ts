import { hash } from 'node:crypto';
import type { Conversation } from './conversation.ts';
import type { Fault } from './faults.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { obey } from './obedience.ts';
import { countAnswers, findStep, readStep } from './script.ts';
import type { ScriptedStep, Step } from './script.ts';
import type { SimulatorState } from './state.ts';

/** What the simulated model does next. */
export interface Decision {
  readonly step: Step;
  /** What goes wrong with it on purpose. */
  readonly fault: Fault | undefined;
}

/** Asks the test's own script, then the prompt's, then the prompt's plain words. */
export function decide(state: SimulatorState, conversation: Conversation): Decision {
  const scripted = findOwnStep(state, conversation) ?? findStep(conversation.turns);
  if (scripted === undefined) return { step: obey(conversation), fault: undefined };
  return { step: readStep(stepAfterFault(scripted.json)), fault: state.faults.take(scripted) };
}

function findOwnStep({ options }: SimulatorState, conversation: Conversation): ScriptedStep | undefined {
  const step = options.script?.(conversation);
  if (step === undefined) return undefined;
  const json = { ...step };
  return { key: `${hash('sha1', JSON.stringify(json))}:${countAnswers(conversation.turns)}`, json };
}

/** A step whose fault is over, or that breaks its own answer, says what its `then` says, else "ok". */
function stepAfterFault(json: JsonObject): JsonObject {
  if (json['fault'] === undefined) return json;
  return isObject(json['then']) ? json['then'] : {};
}
