export { createApprovals } from './permissions/approvals.ts';
export type { Approvals, ApprovedCall } from './permissions/approvals.ts';
export { explainFinding } from './permissions/decision.ts';
export type { PermissionDecision, PermissionFinding } from './permissions/decision.ts';
export { createPermissionEngine } from './permissions/engine.ts';
export type {
  NarrowOptions,
  PermissionCall,
  PermissionEngine,
  PermissionEngineOptions,
} from './permissions/engine.ts';
export { createGate } from './permissions/gate.ts';
export type { ApprovalRequest, AskPerson, GateOptions } from './permissions/gate.ts';
export { hashInput } from './permissions/hash-input.ts';
export type { PathSurroundings } from './permissions/path/path-surroundings.ts';
export { parsePolicy } from './permissions/policy/policy-file.ts';
export type { PolicyFile } from './permissions/policy/policy-file.ts';
export { readRules } from './permissions/policy/policy-rules.ts';
export type { RuleOrigin } from './permissions/policy/policy-rules.ts';
export { policyJsonSchema, policySchema } from './permissions/policy/policy-schema.ts';
export type { PermissionAnswer, PermissionRule, RulePlace, RuleSource } from './permissions/rule.ts';
export { readSymbolicLink } from './permissions/path/symbolic-link.ts';
export { warnOfUnusedRules } from './permissions/policy/unused-rules.ts';
