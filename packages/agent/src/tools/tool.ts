import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { ServiceKey } from '../services/service-key.ts';
import type { Services } from '../services/services.ts';
import type { SessionRef } from '../session-ref.ts';

/** What a call of a tool needs: nothing to ask for, or capabilities whose targets stand in its arguments (P1). */
export type Capabilities = 'exempt' | readonly CapabilityUse[];

/** One thing that a call does. */
export interface CapabilityUse {
  /** A namespace and an action: `filesystem.write`, `network.fetch`, `shell.run`. */
  readonly capability: string;
  readonly target: TargetSource;
}

/**
 * Where the engine finds what the capability is used on. An argument's value never becomes a sentinel, whatever text
 * the model writes there.
 */
export type TargetSource = { readonly argument: string } | { readonly constant: string } | 'none';

/** Checks a call's arguments and tells the model their form; zod 4 makes one, other libraries have adapters. */
export type InputSchema<Input = unknown> = StandardSchemaV1<unknown, Input> &
  StandardJSONSchemaV1<unknown, Input>;

/** What a run gives to a tool that it calls. */
export interface ToolContext {
  readonly callId: string;
  readonly session: SessionRef;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** A service that the tool `requires`; throws `AgentError` for any other. */
  service<Key extends keyof Services>(key: Key): Services[Key];
}

/** A tool as an application writes it. `registerTool` makes a `Tool` of it. */
export interface ToolDefinition<Input = unknown, Output = unknown> {
  /** The one public name; what the model calls. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema<Input>;
  /** Without it no call is allowed (P2). */
  readonly capabilities?: Capabilities;
  /** The services that a run must build for it (S1). */
  readonly requires?: ServiceKey | readonly ServiceKey[];
  /** It answers at once and its result comes later, as a job. Default false. */
  readonly isLongRunning?: boolean;
  /** Asking again with the same input is what it is for, so that no loop is seen in it (RL4). Default false. */
  readonly isPolling?: boolean;
  /** Contract: called only after the gate has allowed the call, with an input that `inputSchema` accepted. */
  run(input: Input, context: ToolContext): Output | Promise<Output>;
}

declare const issued: unique symbol;

/** A tool that a registry issued: frozen, and known to that registry by identity alone (T1, T3). */
export type Tool = ToolDefinition & { readonly [issued]: true };

/** What the gate is asked before each call: the definition is found by identity, never by name (P6, P7). */
export interface ToolCall {
  readonly tool: Tool;
  readonly callId: string;
  readonly session: SessionRef;
  /** The arguments as the tool would get them: parsed, after every other transformation. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** The gate's last word; whatever had to be asked has been asked by then. */
export type GateAnswer = { readonly type: 'allow' } | { readonly type: 'deny'; readonly reason: string };

/** Decides at the place where tools are dispatched (P7). Contract: a rejection counts as a denial. */
export type ToolGate = (call: ToolCall) => Promise<GateAnswer>;
