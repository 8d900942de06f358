import type { ToolRegistry } from '@quartermaster/agent';
import { createSecret } from '@quartermaster/agent/settings';
import { catalog } from '@quartermaster/catalog';
import { createLanguageModel } from '@quartermaster/providers';
import type { LanguageModel } from '@quartermaster/providers';
import fc from 'fast-check';
import { expect } from 'vitest';
import { agentOf, createStage, keyOf, script, toolOf } from './harness.ts';
import type { Loose, Stage, Started } from './harness.ts';

/** Two that take a tool at the tail, one that takes it after a call only, and one that takes it in the list alone. */
const models = ['claude-opus-5-5', 'gpt-5.6-sol', 'claude-sonnet-5', 'gpt-5.2'] as const;
const chatModel = 'gpt-5.2';
const tailModels: ReadonlySet<string> = new Set(['claude-opus-5-5', 'gpt-5.6-sol']);
const instructions = ['Help.', 'Help otherwise.'] as const;
const lateNames = ['x', 'y', 'z'] as const;

type LateName = (typeof lateNames)[number];

/** One thing that happens to a session, its tools or its runtime. `at` picks among what there is then. */
export type Step =
  | { readonly type: 'turn'; readonly calls: readonly string[]; readonly appears: LateName | undefined }
  | { readonly type: 'appear' | 'disappear' | 'change'; readonly name: LateName }
  | { readonly type: 'clone' | 'branch' | 'fork'; readonly at: number }
  | { readonly type: 'session'; readonly at: number }
  | { readonly type: 'model' | 'instruct'; readonly at: number }
  | { readonly type: 'compact' | 'restart' | 'runtime' };

const anyLate = fc.constantFrom(...lateNames);
const anyPlace = fc.nat({ max: 9 });
const anyTurn = fc.record({
  type: fc.constant('turn' as const),
  calls: fc.array(fc.constantFrom('read', 'fail', 'secret', 'none', ...lateNames), { maxLength: 3 }),
  appears: fc.option(anyLate, { nil: undefined }),
});

/** Turns between whatever else can happen. */
export const anyStory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: anyTurn },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constantFrom('appear' as const, 'disappear', 'change'),
        name: anyLate,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constantFrom('clone' as const, 'branch', 'fork'), at: anyPlace }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('session' as const), at: anyPlace }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constantFrom('model' as const, 'instruct'), at: fc.nat({ max: 7 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('compact' as const, 'restart', 'runtime') }) },
  ),
  { minLength: 2, maxLength: 9 },
);

/** A prompt as it was sent to one model in one session. */
interface Sent {
  readonly head: string;
  readonly said: string;
}

/** Plays stories, one after the other, on one stage. */
export interface Player extends AsyncDisposable {
  play(story: readonly Step[]): Promise<void>;
  /** What was played so far. */
  readonly tally: LifecycleTally;
}

/** How often each kind of step was played, how many requests that made, and how many of them began anew as told. */
export interface LifecycleTally {
  readonly steps: Record<string, number>;
  requests: number;
  /** By cause; only a model that does not take tools at the tail has any. */
  readonly breaks: Record<string, number>;
}

export async function createPlayer(): Promise<Player> {
  const stage = await createStage();
  let played = 0;
  const tally: LifecycleTally = { steps: {}, requests: 0, breaks: {} };
  return {
    tally,
    async play(story) {
      stage.bodies.length = 0;
      await playStory(stage, story, { first: `story-${(played += 1)}`, tally });
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

async function playStory(
  stage: Stage,
  story: readonly Step[],
  { first, tally }: { readonly first: string; readonly tally: LifecycleTally },
): Promise<void> {
  const world: World = {
    stage,
    present: new Set(),
    texts: new Map(),
    sessions: [first],
    session: first,
    model: models[0],
    instruction: instructions[0],
    sent: new Map(),
    turns: 0,
    appearing: undefined,
    runtime: undefined,
    tally,
  };
  // Whoever has the first word has a tool call behind it, so that branches have something to cut.
  for (const step of [{ type: 'turn', calls: ['read'], appears: undefined } as const, ...story])
    await take(world, step);
  await world.runtime?.close();
}

interface World {
  readonly stage: Stage;
  /** The late tools that are there now, and how often the text of each has changed. */
  readonly present: Set<LateName>;
  readonly texts: Map<LateName, number>;
  readonly sessions: string[];
  session: string;
  model: (typeof models)[number];
  instruction: (typeof instructions)[number];
  /** By session, model and instruction. */
  readonly sent: Map<string, Sent>;
  turns: number;
  /** What the tool `read` brings in the turn that is being played. */
  appearing: LateName | undefined;
  runtime: (Started & { readonly model: string; readonly instruction: string }) | undefined;
  readonly tally: LifecycleTally;
}

async function take(world: World, step: Step): Promise<void> {
  const { stage, tally } = world;
  tally.steps[step.type] = (tally.steps[step.type] ?? 0) + 1;
  switch (step.type) {
    case 'turn':
      return playTurn(world, step);
    case 'appear':
    case 'disappear':
    case 'change':
      return changeTool(world, step);
    case 'session':
      world.session = world.sessions[step.at % world.sessions.length] ?? world.session;
      return;
    case 'model':
    case 'instruct':
      return configure(world, step);
    case 'compact':
      return compact(world);
    case 'restart':
      world.runtime = undefined;
      return stage.reopen();
    case 'runtime':
      await world.runtime?.close();
      world.runtime = undefined;
      return;
    default:
      return copySession(world, step);
  }
}

function configure(world: World, { type, at }: Extract<Step, { readonly type: 'model' | 'instruct' }>): void {
  if (type === 'model') world.model = models[at % models.length] ?? models[0];
  else world.instruction = instructions[at % instructions.length] ?? instructions[0];
}

function changeTool(
  world: World,
  { type, name }: Extract<Step, { readonly type: 'appear' | 'disappear' | 'change' }>,
): void {
  if (type === 'appear') world.present.add(name);
  else if (type === 'disappear') world.present.delete(name);
  else {
    world.texts.set(name, (world.texts.get(name) ?? 0) + 1);
    if (world.runtime !== undefined) registerLate(world.runtime.registry, world, name);
  }
}

/** Where the simulated model plays a call of a script that was cut off, it writes no summary. */
async function compact(world: World): Promise<void> {
  const { backend } = await runtimeOf(world);
  try {
    await backend.compact(keyOf(world.session), { signal: new AbortController().signal });
    forgetSent(world, world.session);
  } catch (error) {
    expect(error).toMatchObject({ code: 'RUNTIME_NO_SUMMARY' });
  }
}

async function copySession(
  world: World,
  { type, at }: Extract<Step, { readonly type: 'clone' | 'branch' | 'fork' }>,
): Promise<void> {
  const { sessions, store } = world.stage;
  const key = keyOf(world.session);
  const messages = (await sessions.messages(key)).filter(({ role }) => role !== 'tool');
  const id = String(messages[at % messages.length]?.id);
  // A session that was branched at its very beginning has no message to cut at.
  const isWhole = type === 'clone' || messages.length === 0;
  const copy = isWhole
    ? await sessions.clone(key)
    : type === 'branch'
      ? await sessions.branch(key, { beforeMessage: id })
      : await sessions.fork(key, { afterMessage: id });
  // A whole copy goes on where its source was; any other is judged by what the provider takes.
  if (isWhole && (await store.sessions.readToolDeferrals(copy)) !== undefined) {
    for (const model of models) {
      for (const instruction of instructions) {
        const before = world.sent.get(`${world.session} ${model} ${instruction}`);
        if (before !== undefined) world.sent.set(`${copy.session} ${model} ${instruction}`, before);
      }
    }
  }
  world.sessions.push(copy.session);
  world.session = copy.session;
}

async function playTurn(
  world: World,
  { calls, appears }: Extract<Step, { readonly type: 'turn' }>,
): Promise<void> {
  const { stage, session } = world;
  const runtime = await runtimeOf(world);
  world.turns += 1;
  world.appearing = appears;
  const steps = [
    ...(calls.length === 0
      ? []
      : [{ thinking: `t${world.turns}`, tools: calls.map((tool) => ({ tool, input: {} })) }]),
    { thinking: `u${world.turns}`, text: `said ${world.turns}` },
  ];
  const from = stage.bodies.length;
  const { result } = await runtime.play(`Turn ${world.turns}. ${script(...steps)}`, {
    session,
    turn: crypto.randomUUID(),
  });
  expect(result).toMatchObject({ status: 'completed' });
  expectNoneRefused(stage);
  const report = await stage.sessions.cacheReport(keyOf(session));
  const answers = report.answers.slice(-(stage.bodies.length - from));
  for (const [index, body] of stage.bodies.slice(from).entries()) {
    const breaks = (answers[index]?.breaks ?? []).filter(
      ({ cause }) => cause !== 'model' && cause !== 'compaction' && cause !== 'agent',
    );
    world.tally.requests += 1;
    for (const { cause } of breaks) world.tally.breaks[cause] = (world.tally.breaks[cause] ?? 0) + 1;
    expectGrown(world, promptOf(body), breaks.length > 0);
  }
}

async function runtimeOf(world: World): Promise<Started> {
  const { model, instruction, stage, present } = world;
  if (world.runtime?.model === model && world.runtime.instruction === instruction) return world.runtime;
  await world.runtime?.close();
  const started = await stage.start({
    tools: ['read', 'fail', 'secret'].map((name) =>
      toolOf(name, () => runTool(world, name), capabilitiesOf(name)),
    ),
    agents: [agentOf('main', [], { tools: ['read', 'fail', 'secret'], model, prompt: instruction })],
    models: (id) => modelAt(stage.url, id),
    lateTools: () => [...present],
    rules: [{ answer: 'deny', capability: 'secret.use', target: '*', source: 'user' }],
  });
  for (const name of lateNames) registerLate(started.registry, world, name);
  world.runtime = { ...started, model, instruction };
  return world.runtime;
}

function runTool({ appearing, present }: World, name: string): string {
  if (name === 'fail') throw new Error('it failed');
  if (name === 'read' && appearing !== undefined) present.add(appearing);
  return `${name} ran`;
}

function capabilitiesOf(name: string) {
  return name === 'secret' ? { capabilities: [{ capability: 'secret.use', target: 'none' }] as const } : {};
}

function registerLate(registry: ToolRegistry, { texts }: World, name: LateName): void {
  const description = `The tool ${name}, as it is told of for the ${texts.get(name) ?? 0}. time.`;
  registry.register(
    toolOf(name, () => `${name} ran`, { description }),
    { replace: true },
  );
}

function modelAt(url: string, id: string): LanguageModel {
  const isClaude = id.startsWith('claude');
  return createLanguageModel({
    provider: isClaude ? 'anthropic' : 'openai',
    id,
    ...(!isClaude && { api: id === chatModel ? ('openai-chat' as const) : ('openai-responses' as const) }),
    apiKey: createSecret('test-key'),
    baseUrl: new URL(isClaude ? url : `${url}/v1`),
    catalog,
    terms: { maxRetries: 0 },
  });
}

function expectNoneRefused({ simulator }: Stage): void {
  const last = simulator.requests().at(-1);
  expect(last?.error ?? last?.status).toBe(200);
  expect(last?.brokenBinding).toBe(false);
}

/** Only a model that does not take tools at the tail has a reason to begin anew, and then it says so. */
function expectGrown(world: World, sent: Sent, hasBreak: boolean): void {
  const key = `${world.session} ${world.model} ${world.instruction}`;
  const before = world.sent.get(key);
  world.sent.set(key, sent);
  if (tailModels.has(world.model)) expect(hasBreak).toBe(false);
  if (before === undefined || hasBreak) return;
  expect(sent.head).toBe(before.head);
  expect(sent.said.startsWith(before.said)).toBe(true);
}

function forgetSent({ sent }: World, session: string): void {
  for (const model of models) {
    for (const instruction of instructions) sent.delete(`${session} ${model} ${instruction}`);
  }
}

/** Deferred declarations are no part of the rendered prompt, and cache marks are none either. */
function promptOf(body: Loose): Sent {
  const {
    messages,
    input,
    tools = [],
    prompt_cache_key: _,
    ...rest
  } = JSON.parse(JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
  const loaded = tools.filter((tool: object) => !('defer_loading' in tool));
  return {
    head: JSON.stringify({ ...rest, tools: loaded }),
    said: JSON.stringify(messages ?? input).slice(0, -1),
  };
}
