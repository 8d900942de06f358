import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, ToolResult } from '@quartermaster/agent/messages';
import { createStage, keyOf, script } from './harness.ts';
import type { Stage, Started } from './harness.ts';
import { startOtherProcess } from './other-process.ts';

/** What was found after one process was killed in the middle of a turn. */
export interface Killed {
  readonly session: string;
  readonly afterMs: number;
  /** What the kill found the killed turn in: the outcomes of its calls, or that it had ended. */
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

/** Kills `count` processes in the middle of turns, at times that `random` (0–1) gives, `lanes` sessions side by side. */
export async function killTurns(
  random: () => number,
  { count, lanes }: { readonly count: number; readonly lanes: number },
): Promise<KillReport> {
  await using stage = await createStage();
  const runtime = await stage.start();
  const played = Array.from({ length: lanes }, async (_, lane) => {
    const kills: Killed[] = [];
    for (let kill = lane; kill < count; kill += lanes) {
      kills.push(await killOnce({ stage, runtime, random, session: `lane-${lane}`, kill }));
    }
    return kills;
  });
  const kills = (await Promise.all(played)).flat();
  return {
    kills,
    statuses: stage.simulator.requests().map(({ status }) => status),
    runs: (await readFile(`${stage.folder}/journal`, 'utf8')).trim().split('\n'),
    told: await readTold(stage, lanes),
  };
}

interface Scene {
  readonly stage: Stage;
  readonly runtime: Started;
  readonly random: () => number;
  readonly session: string;
  readonly kill: number;
}

async function killOnce({ stage, runtime, random, session, kill }: Scene): Promise<Killed> {
  await using other = await startOtherProcess(stage);
  const before = await countMessages(stage, session);
  other.order({ session, turn: `killed-${kill}`, text: scriptTurn(random, kill) });
  const afterMs = Math.round(random() * 250);
  await sleep(afterMs);
  await other.kill();
  const after = (await stage.sessions.find(keyOf(session)))
    ? await stage.sessions.messages(keyOf(session))
    : [];
  const { result } = await runtime.play('go on', { session, turn: `next-${kill}` });
  const outcomes = after.slice(before).flatMap(outcomesOf);
  return { session, afterMs, outcomes, next: result.error?.message ?? result.status };
}

async function countMessages(stage: Stage, session: string): Promise<number> {
  if ((await stage.sessions.find(keyOf(session))) === undefined) return 0;
  return (await stage.sessions.messages(keyOf(session))).length;
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

/** What every session says of every call, sub-sessions too. */
async function readTold(stage: Stage, lanes: number): Promise<ReadonlyMap<string, ToolResult>> {
  const told = new Map<string, ToolResult>();
  const collect = (transcript: Awaited<ReturnType<Stage['sessions']['transcript']>>): void => {
    for (const { message } of transcript.messages) {
      if (message.role !== 'tool') continue;
      for (const result of message.results)
        told.set(`${transcript.session.session} ${result.callId}`, result);
    }
    for (const { transcript: inner } of transcript.subSessions) collect(inner);
  };
  for (let lane = 0; lane < lanes; lane += 1) collect(await stage.sessions.transcript(keyOf(`lane-${lane}`)));
  return told;
}
