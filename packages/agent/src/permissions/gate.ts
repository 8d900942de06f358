import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { GateAnswer, Tool, ToolCall, ToolGate } from '../tools/tool.ts';
import type { Approvals } from './approvals.ts';
import type { PermissionDecision, PermissionFinding } from './decision.ts';
import type { PermissionEngine } from './engine.ts';
import { hashInput } from './hash-input.ts';

/** What a person is asked about one call. */
export interface ApprovalRequest extends Pick<ToolCall, 'callId' | 'session' | 'input'> {
  readonly tool: string;
  readonly question: string;
  readonly findings: readonly PermissionFinding[];
}

/** Puts a request to a person. Any answer but `approve` is a no, and so is a rejection. */
export type AskPerson = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<'approve' | 'deny'>;

/** What a gate goes by beside its engine and its registry. */
export interface GateOptions {
  readonly approvals: Approvals;
  /** Left out where nobody can be asked: what would be asked is denied then. */
  readonly ask?: AskPerson;
}

/**
 * Makes the gate of the place where tools are dispatched (P7). What the registry no longer resolves is denied; what the
 * engine asks about needs an approval of exactly this call, given before or now, and used once (P6).
 */
export function createGate(engine: PermissionEngine, registry: ToolRegistry, options: GateOptions): ToolGate {
  return async (call) => {
    const definition = registry.resolve(call.tool);
    if (definition === undefined)
      return deny(`"${call.tool.name}" is no tool of this registry, or was replaced.`);
    const decision = decide(engine, definition, call.input);
    if (decision.type !== 'ask') return answerOf(decision);
    return approve({ engine, registry, definition, call, decision }, options);
  };
}

interface OpenCall {
  readonly engine: PermissionEngine;
  readonly registry: ToolRegistry;
  readonly definition: Tool;
  readonly call: ToolCall;
  readonly decision: PermissionDecision & { type: 'ask' };
}

async function approve(open: OpenCall, { approvals, ask }: GateOptions): Promise<GateAnswer> {
  const { engine, registry, definition, call, decision } = open;
  const inputHash = hashInput(call.input);
  if (inputHash === undefined) {
    return deny(
      'It would have to be asked about, and its arguments hold what an approval can not be bound to.',
    );
  }
  const { callId } = call;
  const approved = { registry, definition, callId, inputHash };
  if (approvals.use(approved)) return { type: 'allow' };
  if (ask === undefined) return deny(`${decision.question} Nobody can be asked here.`);
  const { question, findings } = decision;
  const request = {
    tool: definition.name,
    callId,
    session: call.session,
    input: call.input,
    question,
    findings,
  };
  if ((await ask(request, { signal: call.signal })) !== 'approve') return deny('The user said no.');
  // While the question stood, the arguments, the rules, a link in a path or the tool itself may have changed.
  const now = decide(engine, definition, call.input);
  if (now.type === 'deny') return answerOf(now);
  const isSame = hashInput(call.input) === inputHash && describe(now) === describe(decision);
  if (!isSame || call.signal.aborted || registry.resolve(call.tool) !== definition) {
    return deny('It is no longer the call that was approved.');
  }
  return { type: 'allow' };
}

function decide(engine: PermissionEngine, { name, capabilities }: Tool, input: unknown): PermissionDecision {
  return engine.decide({ tool: name, capabilities, input });
}

function answerOf(decision: PermissionDecision): GateAnswer {
  if (decision.type === 'allow') return { type: 'allow' };
  return deny(decision.type === 'deny' ? decision.reason : decision.question);
}

/** What is done to what, whoever says so. */
function describe({ findings }: PermissionDecision): string {
  return JSON.stringify(findings.map(({ capability, target }) => [capability, target]));
}

function deny(reason: string): GateAnswer {
  return { type: 'deny', reason };
}
