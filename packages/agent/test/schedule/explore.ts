/** What a scenario's steps wait on. */
export interface Stage {
  /** Waits until the schedule lets this step go on. Names say what happens next, for the trace of a failure. */
  gate(name: string): Promise<void>;
}

/** The names of the gates, in the order in which they were opened. */
export type Trace = readonly string[];

/**
 * Runs `scenario` once for every order in which its gates can be opened, and answers those orders. Between two openings
 * everything runs that can. A scenario that does not end although all its gates are open has locked itself up, which is
 * an error like any that it throws: with the order that led there. It must be deterministic and do no input or output.
 */
export async function explore(
  scenario: (stage: Stage) => Promise<void>,
  { limit = 20_000 }: { readonly limit?: number } = {},
): Promise<readonly Trace[]> {
  const traces: Trace[] = [];
  let choices: readonly number[] | undefined = [];
  while (choices !== undefined) {
    if (traces.length === limit) throw new Error(`More than ${limit} schedules: make the scenario smaller.`);
    const run = await runOnce(scenario, choices);
    traces.push(run.trace);
    choices = nextChoices(run.steps);
  }
  return traces;
}

interface Step {
  readonly choice: number;
  readonly width: number;
}

interface Gate {
  readonly name: string;
  readonly open: () => void;
}

async function runOnce(
  scenario: (stage: Stage) => Promise<void>,
  choices: readonly number[],
): Promise<{ readonly trace: Trace; readonly steps: readonly Step[] }> {
  const waiting: Gate[] = [];
  const trace: string[] = [];
  const steps: Step[] = [];
  const gate = (name: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ name, open: resolve });
    return promise;
  };
  let outcome: { readonly error?: unknown } | undefined;
  scenario({ gate }).then(
    () => (outcome = {}),
    (error: unknown) => (outcome = { error }),
  );
  for (;;) {
    await drain();
    if (waiting.length === 0) break;
    const choice = choices[steps.length] ?? 0;
    const [next] = waiting.splice(choice, 1);
    if (next === undefined) throw new Error(`Not deterministic after ${trace.join(' → ')}`);
    steps.push({ choice, width: waiting.length + 1 });
    trace.push(next.name);
    next.open();
  }
  const order = trace.join(' → ') || 'nothing';
  if (outcome === undefined) throw new Error(`Locked up after ${order}`);
  if ('error' in outcome)
    throw new Error(`After ${order}: ${String(outcome.error)}`, { cause: outcome.error });
  return { trace, steps };
}

/** The next of all orders, the last choice first; `undefined` after the last. */
function nextChoices(steps: readonly Step[]): readonly number[] | undefined {
  const last = steps.findLastIndex(({ choice, width }) => choice + 1 < width);
  const step = steps[last];
  if (step === undefined) return undefined;
  return [...steps.slice(0, last).map(({ choice }) => choice), step.choice + 1];
}

/** All microtasks run before the next turn of the event loop. */
export function drain(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Runs `scenario` once for each of the first `ticks` microtasks after its call of `strike`, whose promise resolves in
 * that one; answers what each gave. For what may come at any point of something that does not wait for anybody.
 */
export async function atEachTick<Outcome>(
  ticks: number,
  scenario: (strike: () => Promise<void>) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let tick = 0; tick < ticks; tick += 1) {
    outcomes.push(await scenario(() => passTicks(tick)));
    await drain();
  }
  return outcomes;
}

/** Lets that many microtasks pass. */
export async function passTicks(ticks: number): Promise<void> {
  for (let passed = 0; passed < ticks; passed += 1) await Promise.resolve();
}
