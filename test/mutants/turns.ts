import type { Mutant } from './mutant.ts';

const source = 'packages/agent/src/turns';
const tests = 'packages/agent/test/turns';
const lifecycle = `${source}/lifecycle.ts`;
const slot = `${source}/engine-slot.ts`;
const line = `${source}/turn-line.ts`;
const guard = `${source}/reentry-guard.ts`;
const lock = `${source}/lock.ts`;
const scope = `${source}/turn-scope.ts`;
const events = `${source}/follow-events.ts`;
const runTurn = `${source}/run-turn.ts`;
const manager = `${source}/agent-manager.ts`;
const sessions = `${source}/session-calls.ts`;
const owned = `${source}/build-owned.ts`;
const dialog = `${source}/ask-dialog.ts`;
const controller = `${source}/workflow-controller.ts`;
const admissionTest = `${tests}/admission.test.ts`;
const lifecycleTest = `${tests}/lifecycle.test.ts`;
const ownedTest = `${tests}/build-owned.test.ts`;
const questionTest = `${tests}/questions.test.ts`;
const controllerTest = `${tests}/workflow-controller.test.ts`;
const cancelTest = `${tests}/cancel.test.ts`;
const resultTest = `${tests}/results.test.ts`;
const sessionTest = `${tests}/sessions.test.ts`;
const jobTest = `${tests}/job-delivery.test.ts`;
const steeringTest = `${tests}/steering.test.ts`;

/** Of session identity. */
const identityMutants: readonly Mutant[] = [
  {
    name: 'an empty user is none',
    file: sessions,
    find: 'async (call, { user = defaultUser, signal = neverAborted() }, use) => {',
    replace:
      'async (call, { user: named_, signal = neverAborted() }, use) => { const user = named_ || defaultUser;',
    killedBy: { file: sessionTest, test: 'I1: sessionExists goes to the user that it names' },
  },
  {
    name: 'a session that ended is the default user’s',
    file: manager,
    find: '{ user: session.user, signal }',
    replace: '{ signal }',
    killedBy: { file: sessionTest, test: 'I1: onSessionEnd reads the conversation that it was given' },
  },
  {
    name: 'a backend from before users gets one',
    file: sessions,
    find: 'user === defaultUser ? ([] as const) : ([user] as const)',
    replace: '[user] as const',
    killedBy: { file: sessionTest, test: 'I2: a backend from before users' },
  },
  {
    name: 'one conversation in flight for all',
    file: scope,
    find: 'const places = new AsyncLocalStorage<TurnPlace>();',
    replace: `let place_: TurnPlace | undefined;
  const places = {
    getStore: () => place_,
    run: <Result>(place: TurnPlace, work: () => Promise<Result>) => ((place_ = place), work()),
  };`,
    killedBy: { file: sessionTest, test: 'I3: turns that wait, and what they left running' },
  },
  {
    name: 'sessions of a backend that keeps none',
    file: sessions,
    find: 'if (backend.supportsSessions !== true) throw new SessionsUnsupportedError(backend.name, call);',
    replace: '',
    killedBy: { file: sessionTest, test: 'I4: listSessions throws SessionsUnsupportedError' },
  },
];

/** Of admission and the lifecycle. */
const lifecycleMutants: readonly Mutant[] = [
  {
    name: 'turns overtake each other',
    file: line,
    find: '.hold(admit, turn)',
    replace: '.hold(async () => undefined, turn).then(admit)',
    killedBy: { file: admissionTest, test: 'L1: turns run in the order of the calls' },
  },
  {
    name: 'a turn without the turn lock',
    file: lifecycle,
    find: 'const admitted = await turnLock.hold(async () => {',
    replace: 'const admitted = await createLock().hold(async () => {',
    killedBy: { file: lifecycleTest, test: 'L1: a cleanup, a reinitialisation and a start wait' },
  },
  {
    name: 'a cleanup without the turn lock',
    file: lifecycle,
    find: 'turnLock.hold(() => guard.run(change), waiting)',
    replace: 'guard.run(change)',
    killedBy: { file: lifecycleTest, test: 'L1: a cleanup, a reinitialisation and a start wait' },
  },
  {
    name: 'a turn initialises under the turn lock',
    file: lifecycle,
    find: 'const engine = slot.ready();\n          return engine &&',
    replace: 'await initialize(waiting); const engine = slot.ready();\n          return engine &&',
    killedBy: { file: admissionTest, test: 'L2: no cleanup, wherever it comes' },
  },
  {
    name: 'a nested turn waits for itself',
    file: guard,
    find: 'if (isInside()) throw new NestedTurnError(action);',
    replace: '',
    killedBy: { file: admissionTest, test: 'L1: process throws NestedTurnError' },
  },
  {
    name: 'nobody is ever outside again',
    file: guard,
    find: 'inside.isOver = true;',
    replace: '',
    killedBy: { file: admissionTest, test: 'L1: what a turn left running waits for nobody' },
  },
  {
    name: 'a surface sees no turn before it is admitted',
    file: line,
    find: '    turns.push(turn);\n    const result = line\n      .hold(admit, turn)',
    replace: '    const result = line\n      .hold(() => (turns.push(turn), admit()), turn)',
    killedBy: { file: admissionTest, test: 'L1: a surface that looks first' },
  },
  {
    name: 'admission does not look again',
    file: lifecycle,
    find: `await initialize(waiting);
        // A cleanup may have come between: what is ready under the turn lock stays ready.
        const admitted = await turnLock.hold(async () => {
          const engine = slot.ready();`,
    replace: `await initialize(waiting);
        const engine = slot.ready();
        const admitted = await turnLock.hold(async () => {`,
    killedBy: { file: admissionTest, test: 'L2: a turn that is asked for while the engine is made anew' },
  },
  {
    name: 'admission tries once',
    file: lifecycle,
    find: 'attempt <= 2',
    replace: 'attempt <= 1',
    killedBy: { file: admissionTest, test: 'L2: a cleanup in each microtask of a turn' },
  },
  {
    name: 'admission tries again and again',
    file: lifecycle,
    find: 'attempt <= 2',
    replace: 'attempt <= 9',
    killedBy: { file: admissionTest, test: 'L2: a turn whose backend is released time after time' },
  },
  {
    name: 'a cancelled start is published',
    file: slot,
    find: 'if (signal.aborted) {',
    replace: 'if (signal.reason === 0) {',
    killedBy: { file: lifecycleTest, test: 'L3: a cancelled start releases what is still built' },
  },
  {
    name: 'what a cancelled start built is left open',
    file: slot,
    find: 'await close(built);',
    replace: '',
    killedBy: { file: lifecycleTest, test: 'L3: a cancelled start releases what is still built' },
  },
  {
    name: 'whoever cancels a start waits for it',
    file: lifecycle,
    find: 'return untilAborted(lifecycleLock.hold(underTurnLock, waiting), waiting.signal);',
    replace: 'return lifecycleLock.hold(underTurnLock, waiting);',
    killedBy: { file: lifecycleTest, test: 'L3: whoever cancels a start leaves at once' },
  },
  {
    name: 'two who initialise start two engines',
    file: lifecycle,
    find: 'async () => slot.ready() ?? slot.start(model, waiting.signal)',
    replace: 'async () => slot.start(model, waiting.signal)',
    killedBy: { file: lifecycleTest, test: 'L3: initialising at once starts one engine' },
  },
  {
    name: 'a constructor that throws leaves what was built',
    file: owned,
    find: 'const faults = await closeAll(opened);\n    if (faults.length === 0) throw error;',
    replace: 'const faults: unknown[] = [];\n    if (faults.length === 0) throw error;',
    killedBy: { file: ownedTest, test: 'L3: a constructor that throws at once' },
  },
  {
    name: 'what opens after the failure stays open',
    file: owned,
    find: 'await Promise.allSettled(opening);',
    replace: '',
    killedBy: { file: ownedTest, test: 'L3: of two that open at once' },
  },
  {
    name: 'cleanup does not wait for the close',
    file: slot,
    find: 'await close(released);',
    replace: 'void close(released);',
    killedBy: { file: lifecycleTest, test: 'L4: it waits for the close' },
  },
  {
    name: 'cleanup closes again and again',
    file: slot,
    find: '      engine = undefined;\n',
    replace: '',
    killedBy: { file: lifecycleTest, test: 'L4: it waits for the close' },
  },
  {
    name: 'a close that failed is not told',
    file: slot,
    find: 'if (faults.length > 0) throw',
    replace: 'if (faults.length > 9) throw',
    killedBy: { file: lifecycleTest, test: 'L4: a close that fails is told once' },
  },
  {
    name: 'one close that fails keeps the others open',
    file: owned,
    find: '      faults.push(error);\n',
    replace: '      faults.push(error);\n      break;\n',
    killedBy: { file: ownedTest, test: 'L4: close awaits all, also when one fails' },
  },
  {
    name: 'the second failure loses the conversation',
    file: slot,
    find: '((await engine?.keepSessions?.()) ?? keptSessions)',
    replace: '(await engine?.keepSessions?.())',
    killedBy: { file: lifecycleTest, test: 'L5: a failed one keeps the manager and its conversation' },
  },
  {
    name: 'a start that fails loses the conversation',
    file: slot,
    find: '      const built = await backend.start({',
    replace:
      '      const kept_ = keptSessions; keptSessions = undefined;\n      const built = await backend.start({',
    killedBy: { file: lifecycleTest, test: 'L5: after a failed one the next turn has its conversation' },
  },
  {
    name: 'a model that did not start is kept',
    file: lifecycle,
    find: 'await slot.start(next, waiting.signal);\n        model = next;',
    replace: 'model = next;\n        await slot.start(next, waiting.signal);',
    killedBy: { file: lifecycleTest, test: 'L5: after a failed one the next turn has its conversation' },
  },
];

/** Of the person to ask, and of cancels. */
const personMutants: readonly Mutant[] = [
  {
    name: 'the last person to come is asked',
    file: line,
    find: 'return runTurn(engine, turn, scope);',
    replace: 'return runTurn(engine, { ...turn, consumer: turns.at(-1)?.consumer ?? consumer }, scope);',
    killedBy: { file: questionTest, test: 'L6: each turn asks its own' },
  },
  {
    name: 'a nested turn asks the person of the outer one',
    file: scope,
    find: 'enter: (place, work) => places.run(place, work),',
    replace: 'enter: (place, work) => places.run({ ...places.getStore(), ...place }, work),',
    killedBy: { file: questionTest, test: 'L6: a turn inside a turn asks its own person' },
  },
  {
    name: 'the person is gone before the engine has ended',
    file: runTurn,
    find: 'const stop = new AbortController();',
    replace: "const stop = new AbortController(); signal.addEventListener('abort', () => questions.close());",
    killedBy: { file: questionTest, test: 'R4: on cancel the engine is cancelled and awaited' },
  },
  {
    name: 'a turn that is over can ask',
    file: runTurn,
    find: '    questions.close();\n',
    replace: '',
    killedBy: { file: questionTest, test: 'R4: on cancel the engine is cancelled and awaited' },
  },
  {
    name: 'a dialog outlives its question',
    file: dialog,
    find: '.finally(() => dialog.close())',
    replace: '.then((answer) => (dialog.close(), answer))',
    killedBy: { file: questionTest, test: 'R4: after a cancel, before or after or beside' },
  },
  {
    name: 'progress is back after a cancel',
    file: dialog,
    find: '.finally(() => dialog.close())',
    replace: '.finally(() => (dialog.close(), boxes.openProgress()))',
    killedBy: { file: questionTest, test: 'R4: after a cancel, before or after or beside' },
  },
  {
    name: 'a cancel does not reach the engine',
    file: runTurn,
    find: 'AbortSignal.any([signal, stop.signal])',
    replace: 'stop.signal',
    killedBy: { file: cancelTest, test: 'L8: what the engine shows after the cancel' },
  },
  {
    name: 'a cancelled turn stays in the line',
    file: lock,
    find: "signal.addEventListener('abort', onAbort, { once: true });",
    replace: '',
    killedBy: { file: cancelTest, test: 'L8: a turn that waits leaves the line at once' },
  },
  {
    name: 'the lock goes to one who has left',
    file: lock,
    find: 'waiting.splice(waiting.indexOf(enter), 1);',
    replace: '',
    killedBy: { file: cancelTest, test: 'L8: a cancel at any point of a turn' },
  },
  {
    name: 'a cancel between two steps is overheard',
    file: lock,
    find: 'signal.throwIfAborted(); // it may have come between the call of `next` and here',
    replace: '',
    killedBy: { file: questionTest, test: 'R4: a question that is cancelled while it waits' },
  },
  {
    name: 'a cancel is a failure',
    file: events,
    find: 'return signal.aborted && (isAbort || error === signal.reason);',
    replace: 'return false && signal.aborted && isAbort;',
    killedBy: { file: cancelTest, test: 'L8: a cancelled turn that throws the reason' },
  },
  {
    name: 'a failure after a cancel is a cancel',
    file: events,
    find: 'return signal.aborted && (isAbort || error === signal.reason);',
    replace: 'return signal.aborted || isAbort;',
    killedBy: { file: cancelTest, test: 'L8: a cancelled turn that can not store its history' },
  },
];

/** Of what comes of a turn. */
const resultMutants: readonly Mutant[] = [
  {
    name: 'a failed turn runs again',
    file: line,
    find: 'return runTurn(engine, turn, scope);',
    replace: `const first = await runTurn(engine, turn, scope);
        return first.status === 'failed' ? runTurn(engine, turn, scope) : first;`,
    killedBy: { file: resultTest, test: 'R1: the source of a turn that throws midway' },
  },
  {
    name: 'a turn that never began has failed',
    file: line,
    find: "status: 'unavailable'",
    replace: "status: 'failed'",
    killedBy: { file: resultTest, test: 'R2: a backend that can not be made ready' },
  },
  {
    name: 'a stream may just stop',
    file: events,
    find: "if (seen.end === undefined && !signal.aborted) throw badStream('the events ended without one');",
    replace: '',
    killedBy: { file: resultTest, test: 'R2: a stream that ends without turn-end' },
  },
  {
    name: 'a stream may go on after its end',
    file: events,
    find: 'if (seen.end !== undefined) throw badStream(`${event.type} came after turn-end`);',
    replace: 'if (seen.end !== undefined) continue;',
    killedBy: { file: resultTest, test: 'R2: a stream that goes on after turn-end' },
  },
  {
    name: 'what throws has completed',
    file: events,
    find: "seen.fault ??= faultOf(error, 'TURN_FAILED');",
    replace: '{}',
    killedBy: { file: resultTest, test: 'R2: a stream that throws after turn-end' },
  },
  {
    name: 'a sub-agent ends the turn',
    file: events,
    find: "if (isOwn && event.type === 'turn-end')",
    replace: "if (event.type === 'turn-end')",
    killedBy: { file: resultTest, test: 'R2: the end of a sub-agent' },
  },
  {
    name: 'unknown usage is zero',
    file: `${source}/usage.ts`,
    find: 'one === undefined || other === undefined ? undefined : one + other',
    replace: '(one ?? 0) + (other ?? 0)',
    killedBy: { file: resultTest, test: 'R2: what one answer does not tell' },
  },
  {
    name: 'a warning fails the turn',
    file: events,
    find: "if (event.type === 'error' && !event.recoverable) {",
    replace: "if (event.type === 'error') {",
    killedBy: { file: resultTest, test: 'R3: a recoverable one is shown' },
  },
  {
    name: 'the end of a stream forgives an error',
    file: events,
    find: "if (event.type === 'error' && !event.recoverable) {",
    replace: "if (event.type === 'error' && seen.place === undefined) {",
    killedBy: { file: resultTest, test: 'R3: any other is shown as it arrives' },
  },
  {
    name: 'errors are shown at the end',
    file: events,
    find: 'if (seen.end === undefined) await show(event, seen, following);',
    replace:
      "if (seen.end === undefined && event.type !== 'error') await show(event, seen, following); else void Promise.resolve().then(() => show(event, seen, following));",
    killedBy: { file: resultTest, test: 'R3: a recoverable one is shown' },
  },
  {
    name: 'a consumer that fails is not missed',
    file: events,
    find: '    stop();\n',
    replace: '',
    killedBy: { file: resultTest, test: 'that throws ends the turn, which has failed' },
  },
  {
    name: 'the engine is closed while facts are computed',
    file: slot,
    find: 'await Promise.allSettled(borrowers);',
    replace: '',
    killedBy: { file: sessionTest, test: 'R5: they are computed before the manager closes' },
  },
  {
    name: 'facts are lent an engine that may be gone',
    file: lifecycle,
    find: 'const lent = lend(slot.ready() ?? (await slot.start(model, waiting.signal)));',
    replace:
      'const ready = slot.ready() ?? (await slot.start(model, waiting.signal)); const lent = new Promise<void>((resolve) => setImmediate(resolve)).then(() => lend(ready));',
    killedBy: { file: sessionTest, test: 'R5: they are computed before the manager closes' },
  },
  {
    name: 'a job is delivered without a claim',
    file: line,
    find: 'if (claim !== undefined && !(await claim())) throw notClaimed();',
    replace: 'await claim?.();',
    killedBy: { file: jobTest, test: 'J1: two that deliver it at once' },
  },
  {
    name: 'only a success ends a delivery',
    file: manager,
    find: 'if (isClaimed) await complete(result);',
    replace: "if (isClaimed && result.status === 'completed') await complete(result);",
    killedBy: { file: jobTest, test: 'J1: a cancel in each microtask' },
  },
  {
    name: 'what nobody heard is lost',
    file: events,
    find: 'const unheard = following.closeSteering();',
    replace: 'following.closeSteering(); const unheard: string[] = [];',
    killedBy: { file: steeringTest, test: 'RL5: what is said enters the running turn' },
  },
];

/** Of the controller. */
const controllerMutants: readonly Mutant[] = [
  {
    name: 'a closed workflow tells its state',
    file: controller,
    find: 'if (!life.signal.aborted) onState(deriveState(facts));',
    replace: 'onState(deriveState(facts));',
    killedBy: { file: controllerTest, test: 'L7: whenever it comes, it publishes nothing more' },
  },
  {
    name: 'transitions at once',
    file: controller,
    find: 'transitions.hold(step, { signal })',
    replace: 'step()',
    killedBy: { file: controllerTest, test: 'L7: they are serialised' },
  },
  {
    name: 'a manager that nobody waits for is left',
    file: controller,
    find: 'await discard(built); // nobody else has it',
    replace: '',
    killedBy: { file: controllerTest, test: 'L7: a caller that is cancelled leaves at once' },
  },
  {
    name: 'a manager that nobody waits for is published',
    file: controller,
    find: '      signal.throwIfAborted();\n',
    replace: '',
    killedBy: { file: controllerTest, test: 'L7: a caller that is cancelled leaves at once' },
  },
  {
    name: 'a manager is published after close',
    file: controller,
    find: '      await by(built);\n      life.signal.throwIfAborted();\n',
    replace: '      await by(built);\n',
    killedBy: { file: controllerTest, test: 'L7: an open that ends after it' },
  },
  {
    name: 'a caller’s cancel reaches the construction',
    file: controller,
    find: 'construct({ signal: life.signal })',
    replace: 'construct({ signal })',
    killedBy: { file: controllerTest, test: 'L7: the construction does not see the cancel' },
  },
  {
    name: 'close does not wait for the teardown',
    file: controller,
    find: 'if (manager !== undefined) await discard(manager);',
    replace: 'if (manager !== undefined) void discard(manager);',
    killedBy: { file: controllerTest, test: 'L7: a cancelled caller can not abandon half a teardown' },
  },
  {
    name: 'an old failure is shown for ever',
    file: controller,
    find: '      facts.initError = undefined;\n',
    replace: '',
    killedBy: { file: controllerTest, test: 'L7: initError is cleared by every success' },
  },
  {
    name: 'a workflow closes itself from inside a turn',
    file: controller,
    find: "if (facts.manager?.isInside() === true) throw new NestedTurnError('close');",
    replace: '',
    killedBy: { file: controllerTest, test: 'L7: inside a turn it throws NestedTurnError' },
  },
];

/** Of session identity, turns, their lifecycle and their results. */
export const turnMutants: readonly Mutant[] = [
  ...identityMutants,
  ...lifecycleMutants,
  ...personMutants,
  ...resultMutants,
  ...controllerMutants,
];
