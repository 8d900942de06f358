/** One entry of a request's `tools`, as the client sent it. */
export interface DeclaredTool {
  readonly name: string;
  /** `client`: ours to judge. `deferred`: the client itself marked it `defer_loading`. `server`: the provider runs it. */
  readonly kind: 'client' | 'deferred' | 'server';
}

/** What one session declared and used: tool names as the client spelled them. */
export interface SessionTools {
  readonly declared: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

/** Everything that the rule looks at (RU1–RU7). */
export interface RuleInput {
  /** In the order of the request. */
  readonly tools: readonly DeclaredTool[];
  /** Names that this thread has used or loaded (RU1). */
  readonly usedInThread: ReadonlySet<string>;
  /** The tenant's other sessions, newest first by last activity (RU2). */
  readonly tenantSessions: readonly SessionTools[];
  /** The other sessions of this project, newest first by last activity (RU3). */
  readonly projectSessions: readonly SessionTools[];
  /** Names, `mcp__server` or a prefix ending in `*`, that are never deferred: the client's core tools and the account's `keep`. */
  readonly keep: readonly string[];
  /** The tool that `tool_choice` forces. */
  readonly forced: string | undefined;
  /** o200k tokens of the tool's declaration, counted on the client's own bytes; asked only where it decides. */
  readonly weigh: (name: string) => number;
}

/** Why a tool was deferred, or was not. */
export type RuleReason =
  | 'deferred'
  | 'used-in-thread'
  | 'too-few-sessions'
  | 'not-declared-lately'
  | 'used-lately'
  | 'used-in-project'
  | 'protected'
  | 'kept'
  | 'forced'
  | 'too-light'
  | 'last-loaded'
  | 'not-ours';

/** What the rule found: the same for the same input, whatever the order of its sets (RU8). */
export interface RuleDecision {
  /** Units to defer, sorted: a tool's name, or `mcp__server`. */
  readonly units: readonly string[];
  /** Their tools in this request, sorted. */
  readonly tools: readonly string[];
  /** One for each declared tool. */
  readonly reasons: ReadonlyMap<string, RuleReason>;
}
