import { AgentError } from '../agent-error.ts';
import { parseServiceKeys } from '../services/service-key.ts';
import type { Services } from '../services/services.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { GateAnswer, Tool, ToolCall, ToolContext, ToolGate } from './tool.ts';

/** One call that a model asked for. */
export interface CallRequest extends Pick<ToolCall, 'callId' | 'session' | 'signal'> {
  /** As the model wrote it. */
  readonly input: unknown;
}

/** What came of a call. Callers plan for each of them; none is thrown. */
export type ToolOutcome =
  | { readonly type: 'completed'; readonly output: unknown }
  | { readonly type: 'denied'; readonly reason: string }
  | { readonly type: 'invalid-input'; readonly reason: string }
  | { readonly type: 'failed'; readonly error: unknown };

/** What decides and feeds a call. */
export interface CallOptions {
  readonly registry: ToolRegistry;
  readonly gate: ToolGate;
  /** Those that the run built; a tool gets what it requires of them. */
  readonly services: Partial<Services>;
}

/**
 * The one place where tools are dispatched. What the registry never bound is denied, whatever it is called (T2, T4);
 * the gate decides after the input took its last form (P7), and what was retired while it asked is denied too (T6).
 */
export async function callTool(
  candidate: unknown,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  const identity = options.registry.identify(candidate);
  if (identity === undefined) return { type: 'denied', reason: notBound };
  const { definition, tool } = identity;
  if (definition.capabilities === undefined) return { type: 'denied', reason: undeclared(definition) };
  const checked = await checkInput(definition, request.input);
  if (checked.type !== 'valid') return checked;
  const { input } = checked;
  const answer = await askGate(options.gate, { ...request, tool: definition, input });
  if (answer.type === 'deny') return { type: 'denied', reason: answer.reason };
  if (options.registry.resolve(candidate) !== definition) return { type: 'denied', reason: notBound };
  return await runTool(tool, input, toContext(definition, request, options.services));
}

const notBound =
  'Expected a tool that the registry bound; this one was never registered, was registered elsewhere or was replaced. ' +
  'Register the function itself: its name gives no right.';

function undeclared({ name }: Tool): string {
  return `Tool "${name}" declares no capabilities, so no call of it is allowed (P2). Declare them, or say 'exempt'.`;
}

type CheckedInput =
  | { readonly type: 'valid'; readonly input: unknown }
  | Extract<ToolOutcome, { readonly type: 'invalid-input' | 'failed' }>;

async function checkInput({ inputSchema }: Tool, input: unknown): Promise<CheckedInput> {
  try {
    const checked = await inputSchema['~standard'].validate(input);
    if (checked.issues === undefined) return { type: 'valid', input: checked.value };
    return { type: 'invalid-input', reason: describeIssues(checked.issues) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

async function askGate(gate: ToolGate, call: ToolCall): Promise<GateAnswer> {
  try {
    const answer = await gate(call);
    return answer.type === 'allow' ? answer : { type: 'deny', reason: answer.reason };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it threw no error';
    return { type: 'deny', reason: `The permission check failed: ${why}` };
  }
}

async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    return { type: 'completed', output: await tool.run(input, context) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

function toContext(
  definition: Tool,
  { callId, session, signal }: CallRequest,
  services: Partial<Services>,
): ToolContext {
  return { callId, session, signal, service: (key) => requireService(definition, services, key) };
}

/** The service, if `tool` declared it and the run built it; throws `AgentError` otherwise. */
export function requireService<Key extends keyof Services>(
  tool: Tool,
  services: Partial<Services>,
  key: Key,
): Services[Key] {
  const declared = parseServiceKeys(tool.name, tool.requires);
  const service = services[key];
  const isDeclared = declared.some(
    (one) => one === key || (one === 'knowledgeBase' && key === 'userKnowledgeBase'),
  );
  if (isDeclared && service !== undefined) return service;
  throw new AgentError(
    'SERVICE_NOT_REQUIRED',
    `Tool "${tool.name}" takes ${key}; expected it ${isDeclared ? 'to be built for this run' : 'in its requires'}.`,
  );
}

/** Names paths and problems; never the values, which may be secret. */
function describeIssues(
  issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[],
): string {
  return issues
    .map(({ message, path = [] }) => `${path.map(keyOf).join('.') || 'input'}: ${message}`)
    .join('; ');
}

function keyOf(segment: unknown): string {
  return typeof segment === 'object' && segment !== null && 'key' in segment
    ? String(segment.key)
    : String(segment);
}
