import { addAbortListener } from 'node:events';
import type { ToolGate } from '@quartermaster/agent';
import { callTool } from '@quartermaster/agent/engine';
import type { AssembledTool, ToolOutcome } from '@quartermaster/agent/engine';
import type { ToolCallPart, ToolResult } from '@quartermaster/agent/messages';
import { requiredServices } from '@quartermaster/agent/services';
import type { CallPlace } from '@quartermaster/store';
import type { Toolbox } from '../agents/toolbox.ts';
import { RuntimeError } from '../runtime-error.ts';
import { encodeResult, readResult } from '../sessions/history.ts';
import { maxIdenticalCalls } from './loop-watch.ts';
import type { LoopWatch } from './loop-watch.ts';
import { toResult } from './result-text.ts';
import type { Work } from './work.ts';

/** The calls of one stored answer. */
export interface Calls {
  /** The answer's item. */
  readonly item: string;
  readonly calls: readonly ToolCallPart[];
}

/** Starts all calls together and shows their results in the order of the calls (RL2). Ends when all of them have. */
export async function runCalls(work: Work, { item, calls }: Calls, watch: LoopWatch): Promise<void> {
  const toolbox = work.openToolbox();
  const noted = watch.noteAnswer(calls, (name) => isPolling(toolbox, name));
  if (noted.includes('stuck')) throw stuck(work.agent.name);
  const running = calls.map((call, index) => {
    const place = { item, index };
    return noted[index] === 'told' ? tell(work, call, place) : runCall(work, { call, place, toolbox });
  });
  const ended = Promise.allSettled(running);
  try {
    for (const each of running) await work.show({ type: 'tool-result', result: await each });
  } finally {
    await ended;
  }
}

function isPolling(toolbox: Toolbox, name: string): boolean {
  const tool = toolbox.find(name);
  return tool?.type === 'bound' && tool.definition.isPolling === true;
}

function stuck(agent: string): RuntimeError {
  return new RuntimeError(
    'RUNTIME_LOOP',
    `The model of agent ${agent} made one call again and again, also after it was told. Say what it should do instead.`,
  );
}

/** In place of a call that only repeats those before it (RL4). */
async function tell(work: Work, { callId, name }: ToolCallPart, place: CallPlace): Promise<ToolResult> {
  const text =
    `This call was not run: it is the same as the ${maxIdenticalCalls - 1} before it, and would give the same. ` +
    'Try another way, or tell the user what is missing. The turn ends if it comes again.';
  return await endCall(work, place, { callId, name, outcome: 'failed', text });
}

interface OpenCall {
  readonly call: ToolCallPart;
  readonly place: CallPlace;
  readonly toolbox: Toolbox;
}

/**
 * Runs one call and stores what came of it. That it began is durable before it runs; a cancelled one that does not end
 * in time is left as one whose effects are unknown (L8).
 */
async function runCall(work: Work, { call, place, toolbox }: OpenCall): Promise<ToolResult> {
  const { session, signal, limits } = work;
  if (signal.aborted) return readResult(call, undefined);
  const tool = toolbox.find(call.name);
  if (tool === undefined) return await endCall(work, place, unknownTool(work, call, toolbox));
  const gate = gateOf(work, place);
  const outcome = await withGrace(dispatch(work, call, { tool, gate: gate.ask }), work);
  gate.throwIfFailed();
  const hasStarted = session.hasStarted(place);
  const isCut = signal.aborted && outcome?.type !== 'completed';
  if (outcome === undefined || isCut) return readResult(call, hasStarted ? { result: undefined } : undefined);
  return await endCall(work, place, toResult(call, outcome, { maxCharacters: limits.maxResultCharacters }));
}

async function endCall({ session }: Work, place: CallPlace, result: ToolResult): Promise<ToolResult> {
  await session.endCall(place, encodeResult(result));
  return result;
}

/** One that was there stays declared, and may come back (D12). */
function unknownTool({ session }: Work, { callId, name }: ToolCallPart, { tools }: Toolbox): ToolResult {
  const isKnown = session.tools().deferrals.definitions.has(name);
  const isGone =
    isKnown || session.history().entries.some(({ found = [] }) => found.some((tool) => tool.name === name));
  const what = isGone ? `The tool ${name} is not available now.` : 'There is no tool of that name.';
  const text = `${what} There are: ${tools.map((tool) => tool.name).join(', ')}.`;
  return { callId, name, outcome: 'unknown-tool', text };
}

function dispatch(
  work: Work,
  { callId, input }: ToolCallPart,
  { tool, gate }: { readonly tool: AssembledTool; readonly gate: ToolGate },
): Promise<ToolOutcome> {
  const { registry, session, signal } = work;
  const candidate = tool.type === 'bound' ? tool.tool : tool.supplied;
  const services = work.createServices(requiredServices(registry, [candidate]));
  const request = { callId, session: session.ref, signal, input };
  return work.within(() => callTool(candidate, request, { registry, gate, services }));
}

interface CallGate {
  readonly ask: ToolGate;
  /** That a call began could not be stored: that ends the turn, and the call did not run. */
  throwIfFailed(): void;
}

/** The agent's gate, and behind it the last thing before a call runs: that it begins becomes durable. */
function gateOf({ session, gate, signal }: Work, place: CallPlace): CallGate {
  let failure: { readonly error: unknown } | undefined;
  return {
    async ask(call) {
      const answer = await gate(call);
      if (answer.type === 'deny') return answer;
      if (signal.aborted) return { type: 'deny', reason: 'The turn was cancelled.' };
      try {
        await session.startCall(place);
      } catch (error) {
        failure = { error };
        throw error;
      }
      return answer;
    },
    throwIfFailed() {
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** What `running` gives; nothing where it goes on for too long after a cancel. */
async function withGrace<Value>(
  running: Promise<Value>,
  { signal, limits: { cancelGraceMs } }: Work,
): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  using _listening = addAbortListener(signal, () => {
    timer = setTimeout(() => resolve(undefined), cancelGraceMs);
  });
  try {
    return await Promise.race([running, promise]);
  } finally {
    clearTimeout(timer);
  }
}
