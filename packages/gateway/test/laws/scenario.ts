import fc from 'fast-check';

/** What one run plays: a client, what its user did lately, and what happens then. Plain data, so that it shrinks. */
export interface Scenario {
  readonly client: ClientTraits;
  /** The tools that each of the user's earlier sessions used; all of them declared everything. */
  readonly history: readonly (readonly string[])[];
  readonly events: readonly Event[];
}

/** How the client speaks, fixed for the run. */
export interface ClientTraits {
  readonly model: ModelId;
  /** Whether it is known to send searches back. */
  readonly echoes: boolean;
  readonly streams: boolean;
  /** Names among `toolNames`, alphabetical within built-ins and within servers' tools. */
  readonly tools: readonly string[];
  /** What it adds of its own: a search tool of the provider's, a tool that it defers itself, a server tool. */
  readonly extras: readonly ('own-search' | 'own-deferred' | 'server-tool')[];
  /** Whether a tool carries a cache mark, and of which life; the system's marks then live at least as long. */
  readonly toolMark: 'none' | '5m' | '1h';
  readonly spelling: 'compact' | 'spaced';
  /** `bare`: its system message at index 1 is empty. `none`: it has none. */
  readonly environment: 'stated' | 'bare' | 'none';
}

export const models = ['claude-opus-5-5', 'claude-opus-4-8', 'claude-opus-4-6', 'claude-fable-5-2'] as const;

export type ModelId = (typeof models)[number];

/** `a` and `b` are two gateways over one store. `about`: each request of the turn goes to the other one. */
export type Via = 'a' | 'b' | 'about';

/** One thing that the model does in a turn. */
export interface Step {
  /**
   * `plain`: a text without thinking. `search`: a text, and a search for what no request will need. `pause`: the same, and
   * the provider stops there. `search-only`: it ends with that search.
   */
  readonly type: 'text' | 'plain' | 'call' | 'calls' | 'search' | 'pause' | 'search-only';
  readonly tools: readonly string[];
}

/** Where a store stands while a gateway asks it. */
export type Mood = 'well' | 'unreadable' | 'late' | 'unanswered' | 'failing';

export type Event =
  | {
      readonly type: 'turn';
      readonly agent: 'main' | 'sub';
      readonly steps: readonly Step[];
      readonly via: Via;
      /** `answer-lost`: the first request is sent again. `both`: at once to both gateways. `prompted-twice`: a second prompt before an answer. */
      readonly opening: 'once' | 'answer-lost' | 'both' | 'prompted-twice';
      readonly forced: string | undefined;
      readonly isBypassing: boolean;
    }
  /** The text of a system prompt, a title or the like: no client tools. */
  | { readonly type: 'side'; readonly tools: 'none' | 'server' }
  | { readonly type: 'count' }
  | { readonly type: 'clear' }
  | { readonly type: 'fork' }
  /** Back to the session before the last fork or clear. */
  | { readonly type: 'back' }
  | { readonly type: 'compact'; readonly keepsThinking: boolean }
  | { readonly type: 'late-tool'; readonly tool: string }
  | { readonly type: 'drop-tool'; readonly tool: string }
  /** Claude Code leaves another model's thinking out; a client need not. */
  | { readonly type: 'model'; readonly model: ModelId; readonly keepsThinking: boolean }
  /** The client's wish not to have deferral in its session. */
  | { readonly type: 'opt-out'; readonly gateway: 'a' | 'b' }
  /** The provider begins, or ceases, to refuse every request with a deferred tool. */
  | { readonly type: 'refusing'; readonly isOn: boolean }
  | { readonly type: 'restart'; readonly gateway: 'a' | 'b'; readonly how: 'stopped' | 'killed' }
  | { readonly type: 'lose-records' }
  | { readonly type: 'store'; readonly gateway: 'a' | 'b'; readonly mood: Mood }
  | { readonly type: 'clock'; readonly hours: number };

/** Protected, heavy, of servers, light. */
const toolNames = [
  'Bash',
  'Calendar',
  'Clock',
  'Notebook',
  'Planner',
  'Read',
  'mcp__crm__find',
  'mcp__crm__merge',
  'mcp__web__get',
] as const;

/** What a client may come to have in mid-thread. */
const lateToolNames = ['mcp__crm__late', 'Latecomer', 'mcp__new__tool', 'Planner'] as const;

const anyTool = fc.constantFrom(...toolNames);

const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom<Step['type']>('text', 'call', 'call', 'calls', 'plain', 'search', 'pause', 'search-only'),
    fc.uniqueArray(anyTool, { minLength: 2, maxLength: 3 }),
  )
  .map(([type, tools]) => {
    if (type === 'calls') return { type, tools };
    return { type, tools: type === 'call' ? tools.slice(0, 1) : [] };
  });

const via = fc.constantFrom<Via>('a', 'a', 'about', 'b');

const turn: fc.Arbitrary<Event> = fc.record({
  type: fc.constant('turn'),
  agent: fc.constantFrom('main', 'main', 'main', 'sub'),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  via,
  opening: fc.constantFrom('once', 'once', 'once', 'once', 'answer-lost', 'both', 'prompted-twice'),
  forced: fc.option(anyTool, { nil: undefined, freq: 9 }),
  isBypassing: fc.constantFrom(false, false, false, false, false, false, false, true),
});

const gateway = fc.constantFrom('a', 'b');

const other: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ type: fc.constant('side'), tools: fc.constantFrom('none', 'server') }),
  fc.record({ type: fc.constant('count') }),
  fc.record({ type: fc.constant('clear') }),
  fc.record({ type: fc.constant('fork') }),
  fc.record({ type: fc.constant('back') }),
  fc.record({ type: fc.constant('compact'), keepsThinking: fc.boolean() }),
  fc.record({ type: fc.constant('late-tool'), tool: fc.constantFrom(...lateToolNames) }),
  fc.record({ type: fc.constant('drop-tool'), tool: anyTool }),
  fc.record({ type: fc.constant('model'), model: fc.constantFrom(...models), keepsThinking: fc.boolean() }),
  fc.record({ type: fc.constant('opt-out'), gateway }),
  fc.record({ type: fc.constant('refusing'), isOn: fc.boolean() }),
  fc.record({ type: fc.constant('restart'), gateway, how: fc.constantFrom('stopped', 'killed') }),
  fc.record({ type: fc.constant('lose-records') }),
  fc.record({
    type: fc.constant('store'),
    gateway,
    mood: fc.constantFrom('well', 'unreadable', 'late', 'unanswered', 'failing'),
  }),
  fc.record({ type: fc.constant('clock'), hours: fc.constantFrom(1, -1, 25, -25, 1_000, -1_000) }),
);

const traits: fc.Arbitrary<ClientTraits> = fc.record({
  model: fc.constantFrom<ModelId>('claude-opus-5-5', ...models),
  echoes: fc.constantFrom(true, false),
  streams: fc.boolean(),
  tools: fc
    .subarray([...toolNames], { minLength: 2 })
    .map((tools) => (tools.includes('Bash') ? tools : ['Bash', ...tools])),
  extras: fc
    .array(fc.constantFrom('own-search', 'own-deferred', 'server-tool'), { maxLength: 1 })
    .map((extras) => extras),
  toolMark: fc.constantFrom('none', 'none', 'none', '5m', '1h'),
  spelling: fc.constantFrom('compact', 'compact', 'spaced'),
  environment: fc.constantFrom('stated', 'stated', 'bare', 'none'),
});

/** What the user's last sessions used: Bash only, as a rule, so that there is something to defer. */
const pastSession = fc.oneof(
  { weight: 5, arbitrary: fc.constant<readonly string[]>(['Bash']) },
  { weight: 1, arbitrary: fc.subarray([...toolNames], { maxLength: 2 }) },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  client: traits,
  history: fc.array(pastSession, { minLength: 2, maxLength: 4 }).map((past) => [...past, ['Bash']]),
  events: fc.array(fc.oneof({ weight: 5, arbitrary: turn }, { weight: 6, arbitrary: other }), {
    minLength: 3,
    maxLength: 12,
  }),
});

/** One line for the client and one for each event: what a counterexample is read by. */
export function printScenario({ client, history, events }: Scenario): string {
  const { model, echoes, streams, tools, extras, toolMark, spelling, environment } = client;
  const kind = echoes ? 'shown searches' : 'shown none';
  return [
    `client: ${model} ${kind} [${tools.join(' ')}] ${[...extras, ...(streams ? ['streams'] : []), toolMark, spelling, environment].join(' ')}`,
    `history: ${history.map((used) => used.join('+') || '-').join(', ')}`,
    ...events.map((event, index) => `${index + 1}. ${printEvent(event)}`),
  ].join('\n');
}

function printEvent(event: Event): string {
  if (event.type !== 'turn') {
    const { type, ...facts } = event;
    return [type, ...Object.values(facts)].join(' ');
  }
  const steps = event.steps.map(({ type, tools }) => [type, ...tools].join(' ')).join(', ');
  const forced = event.forced === undefined ? [] : [`forcing ${event.forced}`];
  const bypass = event.isBypassing ? ['bypassing'] : [];
  return [`${event.agent} turn (${steps}) via ${event.via}`, event.opening, ...forced, ...bypass].join(' ');
}
