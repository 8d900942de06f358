import { expect, test } from 'vitest';
import * as agent from '@quartermaster/agent';
import * as deferral from '@quartermaster/agent/deferral';
import * as engine from '@quartermaster/agent/engine';
import * as services from '@quartermaster/agent/services';
import * as skills from '@quartermaster/agent/skills';
import * as turns from '@quartermaster/agent/turns';
import type {
  AgentConfig,
  AgentErrorCode,
  AgentErrorTraits,
  AgentGraph,
  Capabilities,
  SessionRef,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolGate,
  ToolRegistry,
  TurnResult,
  TurnStatus,
  WorkflowState,
} from '@quartermaster/agent';

/** §12: a type that is dropped from the root is an error here. */
export type RootTypes = [
  AgentConfig,
  AgentErrorCode,
  AgentErrorTraits,
  AgentGraph,
  Capabilities,
  SessionRef,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolGate,
  ToolRegistry,
  TurnResult,
  TurnStatus,
  WorkflowState,
];

test('§12: the root exports what an application needs, and no more', () => {
  expect(Object.keys(agent).sort()).toEqual([
    'AgentError',
    'AgentGraphError',
    'AmbiguousToolError',
    'DuplicateToolError',
    'UndeclaredVariantError',
    'agentErrors',
    'createToolRegistry',
    'declareTool',
    'registerTool',
    'validateAgentGraph',
  ]);
});

test('§12: the other entries export what backends need', () => {
  expect(Object.keys(engine).sort()).toEqual([
    'assembleTools',
    'callTool',
    'createMcpTools',
    'createQualifiedNames',
    'declareStateTools',
    'fromAiSdkTool',
    'fromJsonSchema',
    'registerHandOffTools',
    'registerStateTools',
    'resolvePrompt',
    'toJsonSchema',
  ]);
  expect(Object.keys(deferral).sort()).toEqual([
    'copyToolDeferrals',
    'createToolIndex',
    'markTools',
    'noToolDeferrals',
    'parseToolDeferrals',
    'serialiseToolDeferrals',
  ]);
  expect(Object.keys(services).sort()).toEqual([
    'KNOWN_SERVICE_KEYS',
    'bindServices',
    'createCodeExecutor',
    'createServices',
    'readHost',
    'readUrlSource',
    'requiredServices',
    'scrubEnvironment',
  ]);
  expect(Object.keys(skills).sort()).toEqual(['findSkills', 'listSkills', 'registerSkillTools']);
  expect(Object.keys(turns).sort()).toEqual([
    'NestedTurnError',
    'SessionsUnsupportedError',
    'addUsage',
    'buildOwned',
    'createAgentManager',
    'createAskDialog',
    'createTurnScope',
    'createWorkflowController',
    'noUsage',
  ]);
});

test('every error is an AgentError with a code of the table', () => {
  const errors = [
    new agent.DuplicateToolError('twice'),
    new agent.UndeclaredVariantError('save_plan', 'adk'),
    new agent.AmbiguousToolError('save_plan', 'adk', []),
    new agent.AgentGraphError(['a'], 'no tree'),
    new turns.NestedTurnError('process'),
    new turns.SessionsUnsupportedError('adk', 'listSessions'),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(agent.AgentError);
    expect(Object.keys(agent.agentErrors)).toContain(error.code);
    expect(error.name).toMatch(/^[A-Z]\w+Error$/);
  }
  expect(new Set(errors.map(({ name }) => name)).size).toBe(errors.length);
});
