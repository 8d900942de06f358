import { readFile } from 'node:fs/promises';
import type { Message, ToolResult } from '@quartermaster/agent/messages';
import type { Transcript } from '@quartermaster/runtime';
import { createStage, keyOf, script } from './harness.ts';
import type { Stage, Started } from './harness.ts';
import { startOtherProcess } from './other-process.ts';

/** What was found in one session after its process was killed in the middle of a turn. */
export interface Killed {
  /** How many events the process had shown. */
  readonly afterEvents: number;
  /** Of the calls of the turn that was cut. */
  readonly outcomes: readonly string[];
  /** How the next turn of the session ended, in this process, at once. */
  readonly next: string;
}

/** What a series of kills came to. */
export interface KillReport {
  readonly kills: readonly Killed[];
  /** Statuses of all requests that reached the provider. */
  readonly statuses: readonly number[];
  /** Calls that a tool was run for, as often as it was: session and call. */
  readonly runs: readonly string[];
  /** By session and call: what the histories say. */
  readonly told: ReadonlyMap<string, ToolResult>;
}

/** In each process turns of all of them run side by side. */
const sessions: readonly string[] = ['first', 'second'];

/** Kills `count` processes in the middle of turns, each at an event that `random` (0–1) picks. */
export async function killTurns(random: () => number, count: number): Promise<KillReport> {
  await using stage = await createStage();
  const runtime = await stage.start();
  const kills: Killed[] = [];
  for (let kill = 0; kill < count; kill += 1)
    kills.push(...(await killOnce({ stage, runtime, random, kill })));
  const told = await Promise.all(sessions.map((session) => stage.sessions.transcript(keyOf(session))));
  return {
    kills,
    statuses: stage.simulator.requests().map(({ status }) => status),
    runs: (await readFile(`${stage.folder}/journal`, 'utf8')).trim().split('\n'),
    told: new Map(told.flatMap(toldBy)),
  };
}

interface Scene {
  readonly stage: Stage;
  readonly runtime: Started;
  readonly random: () => number;
  readonly kill: number;
}

/** A turn of these shows about 35 events, so that two of them are hit anywhere from their first to their last. */
const maxEvents = 60;

async function killOnce({ stage, runtime, random, kill }: Scene): Promise<readonly Killed[]> {
  await using other = await startOtherProcess(stage);
  const before = await Promise.all(
    sessions.map(async (session) => (await readMessages(stage, session)).length),
  );
  for (const session of sessions) {
    other.order({ session, turn: `killed-${kill}-${session}`, text: scriptTurn(random, kill) });
  }
  const afterEvents = 1 + Math.floor(random() * maxEvents);
  let ended = 0;
  for (let shown = 0; shown < afterEvents && ended < sessions.length; shown += 1) {
    if ((await other.readLine())?.startsWith('ended ') === true) ended += 1;
  }
  await other.kill();
  return await Promise.all(
    sessions.map(async (session, index) => {
      const outcomes = (await readMessages(stage, session)).slice(before[index]).flatMap(outcomesOf);
      const { result } = await runtime.play('go on', { session, turn: `next-${kill}-${session}` });
      return { afterEvents, outcomes, next: result.error?.message ?? result.status };
    }),
  );
}

async function readMessages(stage: Stage, session: string): Promise<readonly Message[]> {
  const isThere = (await stage.sessions.find(keyOf(session))) !== undefined;
  return isThere ? await stage.sessions.messages(keyOf(session)) : [];
}

function outcomesOf(message: Message): readonly string[] {
  return message.role === 'tool' ? message.results.map(({ outcome }) => outcome) : [];
}

/** A few answers with a few calls each, one of them a hand-off to a sub-agent that makes calls of its own. */
function scriptTurn(random: () => number, kill: number): string {
  const upTo = (bound: number): number => Math.floor(random() * bound);
  let calls = 0;
  const write = () => ({ tool: 'write', input: { ms: upTo(25), call: `${kill}-${(calls += 1)}` } });
  const writes = () => Array.from({ length: 1 + upTo(3) }, write);
  const steps = Array.from({ length: 2 + upTo(4) }, (_, step) => {
    if (step !== 1) return { tools: writes() };
    const task = `##${JSON.stringify([{ tools: writes() }, { text: 'child is done' }])}##`;
    return { tools: [{ tool: 'hand_off_to_child', input: { task } }, ...writes()] };
  });
  return script(...steps, { text: 'all done' });
}

/** What a session says of every call, and those that worked for it. */
function toldBy({ session, messages, subSessions }: Transcript): readonly (readonly [string, ToolResult])[] {
  const own = messages.flatMap(({ message }) => (message.role === 'tool' ? message.results : []));
  return [
    ...own.map((result) => [`${session.session} ${result.callId}`, result] as const),
    ...subSessions.flatMap(({ transcript }) => toldBy(transcript)),
  ];
}
