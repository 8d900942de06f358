/** What a scenario's steps wait on. */
export interface Stage {
  /** Waits until the schedule lets this step go on. Names say what happens next, for the trace of a failure. */
  gate(name: string): Promise<void>;
}

/** The names of the gates, in the order in which they were opened. */
export type Trace = readonly string[];

/** A scenario that is deterministic, and does no input or output but by the stage. */
export type Scenario = (stage: Stage) => Promise<void>;

/**
 * Runs `scenario` once for every order in which its gates can be opened, and answers those orders. Between two openings
 * everything runs that can. A scenario that does not end although all its gates are open has locked itself up, which is
 * an error like any that it throws: with the order that led there.
 */
export async function explore(
  scenario: Scenario,
  { limit = 20_000 }: { readonly limit?: number } = {},
): Promise<readonly Trace[]> {
  const traces: Trace[] = [];
  let choices: readonly number[] | undefined = [];
  while (choices !== undefined) {
    if (traces.length === limit) throw new Error(`More than ${limit} schedules: make the scenario smaller.`);
    const planned: Iterator<number> = choices.values();
    const steps: Step[] = [];
    const trace = await runOnce(scenario, (width) => {
      const choice = Number(planned.next().value ?? 0);
      steps.push({ choice, width });
      return choice;
    });
    traces.push(trace);
    choices = nextChoices(steps);
  }
  return traces;
}

/** Runs `scenario` in one order: `choose` says which of so many gates is opened next, the longest waiting being 0. */
export async function runOnce(scenario: Scenario, choose: (width: number) => number): Promise<Trace> {
  const waiting: Gate[] = [];
  const trace: string[] = [];
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
    const [next] = waiting.splice(choose(waiting.length), 1);
    if (next === undefined) throw new Error(`Not deterministic after ${trace.join(' → ')}`);
    trace.push(next.name);
    next.open();
  }
  const order = trace.join(' → ') || 'nothing';
  if (outcome === undefined) throw new Error(`Locked up after ${order}`);
  if ('error' in outcome)
    throw new Error(`After ${order}: ${String(outcome.error)}`, { cause: outcome.error });
  return trace;
}

interface Step {
  readonly choice: number;
  readonly width: number;
}

interface Gate {
  readonly name: string;
  readonly open: () => void;
}

/** The next of all orders, the last choice first; `undefined` after the last. */
function nextChoices(steps: readonly Step[]): readonly number[] | undefined {
  const last = steps.findLastIndex(({ choice, width }) => choice + 1 < width);
  const step = steps[last];
  if (step === undefined) return undefined;
  return [...steps.slice(0, last).map(({ choice }) => choice), step.choice + 1];
}

/** All microtasks run before the next turn of the event loop. */
function drain(): Promise<void> {
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
