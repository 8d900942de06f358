import { randomBytes } from 'node:crypto';
import type { AssistantMessage, Message, ToolResult } from '@quartermaster/agent/messages';
import { createSecret } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import type { LanguageModel, LanguageModelOptions, ModelEvent, ModelRequest } from '@quartermaster/providers';
import { createSimulator } from '@quartermaster/simulator';
import type { Simulator } from '@quartermaster/simulator';
import { listen } from './upstream.ts';
import type { Upstream } from './upstream.ts';

export const apiKey = createSecret('sk-canary-0123456789');

/** A simulator behind a socket, with the bodies that came. */
export interface Simulated extends Upstream {
  readonly simulator: Simulator;
  /** As sent, oldest first. */
  readonly bodies: readonly string[];
}

export async function startSimulator(): Promise<Simulated> {
  const bodies: string[] = [];
  const simulator = createSimulator({
    catalog,
    clock: { now: () => 1_800_000_000_000 },
    countTokens: (text) => Math.ceil(Buffer.byteLength(text) / 4),
    binding: true,
    onRequest: (_, body) => bodies.push(body.toString('utf8')),
  });
  return Object.assign(await listen(simulator.listener), { simulator, bodies });
}

/** Waits that took no time, in ms, beside the options that note them. */
export function noteWaits(): {
  readonly waits: number[];
  readonly options: Pick<LanguageModelOptions, 'sleep' | 'random'>;
} {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  return { waits, options: { sleep, random: () => 0 } };
}

/** A prompt that scripts the simulator's replies to it. */
export function script(...steps: readonly unknown[]): string {
  return `@@${JSON.stringify(steps)}@@`;
}

export function ask(text: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are a tester.', messages: [user(text)], tools: [], ...changes };
}

export function user(text: string): Message {
  return { role: 'user', id: randomBytes(4).toString('hex'), content: [{ type: 'text', text }] };
}

export interface Answer {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly finished: Extract<ModelEvent, { type: 'finished' }>;
  readonly message: AssistantMessage;
}

/** Asks and waits for the whole answer. */
export async function answerOf(model: LanguageModel, request: ModelRequest): Promise<Answer> {
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of model.stream(request, { signal })) events.push(event);
  const finished = events.at(-1);
  if (finished?.type !== 'finished') throw new Error('the stream ended without `finished`');
  return {
    events,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    reasoning: events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join(''),
    finished,
    message: { ...finished.message, id: randomBytes(4).toString('hex') },
  };
}

/** The results of all calls of an answer. */
export function results(
  message: AssistantMessage,
  text = 'done',
  outcome: ToolResult['outcome'] = 'completed',
): Message {
  const calls = message.content.filter((part) => part.type === 'tool-call');
  return {
    role: 'tool',
    id: randomBytes(4).toString('hex'),
    results: calls.map(({ callId, name }) => ({ callId, name, outcome, text })),
  };
}

export function tool(name: string, description = `The tool ${name}.`): ModelRequest['tools'][number] {
  return { name, description, inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
}
