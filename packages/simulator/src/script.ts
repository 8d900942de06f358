import { hash } from 'node:crypto';
import type { Turn } from './conversation.ts';
import { isObject, objectsIn, textOf } from './json.ts';
import type { JsonObject } from './json.ts';

/** One call that a step makes. `force`: also where the tool is not declared. */
export interface StepCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly force: boolean;
}

/** What the simulated model is told to answer with, in words that every API can say. */
export interface Step {
  readonly thinking: string | undefined;
  readonly text: string | undefined;
  /** A query (or pattern) for the declared search tool, before the calls. */
  readonly search: string | undefined;
  readonly limit: number | undefined;
  readonly calls: readonly StepCall[];
  /** Whether everything that waits is searched for before the first of the calls, not each before its own. */
  readonly together: boolean;
  /** Content blocks, output items or parts as the API sends them; then nothing else of the step counts. */
  readonly blocks: readonly JsonObject[] | undefined;
  /** Why the model stops: `end_turn`, `tool_use`, `max_tokens`, `refusal`, or a word of the API's own. */
  readonly stop: string | undefined;
}

/** A step that says nothing of its own: the model answers "ok". */
export const emptyStep: Step = {
  thinking: undefined,
  text: undefined,
  search: undefined,
  limit: undefined,
  calls: [],
  together: false,
  blocks: undefined,
  stop: undefined,
};

/** A step's place in its script: `key` names it across requests. */
export interface ScriptedStep {
  readonly key: string;
  /** As written, with its fault. */
  readonly json: JsonObject;
}

interface Directive {
  readonly steps: readonly JsonObject[];
  readonly text: string;
}

const fences = [
  ['@@[', /\]\s*@@/],
  ['##[', /\]\s*##/],
] as const;

/**
 * The step that answers this request: the newest directive `@@[step, …]@@` in a user message, `##[…]##` where it is
 * nested in another's prompt; step k answers the k-th turn of the model after it. `undefined`: no script;
 * a script that has run out answers with an empty step.
 */
export function findStep(turns: readonly Turn[]): ScriptedStep | undefined {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    const directive = turn?.isUser === true ? findDirective(turn.text) : undefined;
    if (directive === undefined) continue;
    const answered = countAnswers(turns.slice(index));
    return {
      key: `${hash('sha1', directive.text)}:${answered}`,
      json: directive.steps[answered] ?? {},
    };
  }
  return undefined;
}

/** How often the model answered; what it says in one go is one answer, in however many blocks. */
export function countAnswers(turns: readonly Turn[]): number {
  return turns.filter((turn, at) => !turn.isUser && turns[at - 1]?.isUser === true).length;
}

/** Reads a step without its fault. */
export function readStep(json: JsonObject): Step {
  const calls = Array.isArray(json['tools']) ? objectsIn(json['tools']) : [json];
  return {
    thinking: textOf(json['thinking']),
    text: textOf(json['text']),
    search: textOf(json['search']),
    limit: typeof json['limit'] === 'number' ? json['limit'] : undefined,
    calls: calls.flatMap(readCall),
    together: json['together'] === true,
    blocks: Array.isArray(json['blocks']) ? objectsIn(json['blocks']) : undefined,
    stop: textOf(json['stop']),
  };
}

function readCall(json: JsonObject): readonly StepCall[] {
  const tool = textOf(json['tool']);
  if (tool === undefined) return [];
  return [{ tool, input: isObject(json['input']) ? json['input'] : {}, force: json['force'] === true }];
}

function findDirective(text: string): Directive | undefined {
  for (const [opening, closing] of fences) {
    const start = text.lastIndexOf(opening);
    if (start < 0) continue;
    const end = text.slice(start).search(closing);
    if (end < 0) continue;
    const written = text.slice(start + opening.length - 1, start + end + 1);
    const steps = parseSteps(written) ?? parseSteps(written.replaceAll('\\"', '"'));
    if (steps !== undefined) return { steps, text: written };
  }
  return undefined;
}

/** Some clients escape the prompt's quotes once more: the caller tries both spellings. */
function parseSteps(text: string): readonly JsonObject[] | undefined {
  try {
    const steps: unknown = JSON.parse(text);
    return Array.isArray(steps) ? objectsIn(steps) : undefined;
  } catch {
    return undefined;
  }
}
