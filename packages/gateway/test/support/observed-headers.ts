import type { IncomingHttpHeaders } from 'node:http';

interface ObservedHeaders {
  /** Those that tell clients apart, with made-up ids and keys. */
  readonly headers: IncomingHttpHeaders;
  /** Without any one of these it is another client, or none. */
  readonly signs: readonly string[];
}

const stainless = {
  'x-stainless-lang': 'js',
  'x-stainless-package-version': '0.95.2',
  'x-stainless-os': 'Linux',
  'x-stainless-arch': 'x64',
  'x-stainless-runtime': 'node',
  'x-stainless-retry-count': '0',
};

const session = '00000000-0000-4000-8000-000000000000';

/** What the clients sent in the tests of docs/clients.md, by the id of the client. */
export const observedHeaders = {
  'claude-code': {
    headers: {
      ...stainless,
      'user-agent': 'claude-cli/2.1.332 (external, sdk-cli)',
      'x-claude-code-session-id': session,
      'x-app': 'cli',
      'anthropic-version': '2023-06-01',
    },
    signs: ['x-claude-code-session-id'],
  },
  'claude-agent-sdk': {
    headers: {
      ...stainless,
      'user-agent': 'claude-cli/2.1.332 (external, sdk-ts, agent-sdk/0.3.332)',
      'x-claude-code-session-id': session,
      'x-app': 'cli',
    },
    signs: ['x-claude-code-session-id', 'user-agent'],
  },
  codex: {
    headers: {
      'user-agent': 'codex_exec/0.171.0 (Linux)',
      originator: 'codex_exec',
      'session-id': session,
      'thread-id': session,
      'x-client-request-id': session,
    },
    signs: ['originator', 'session-id', 'thread-id'],
  },
  opencode: {
    headers: {
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14',
      'x-session-id': 'ses_0123456789abcdef',
      'x-session-affinity': 'ses_0123456789abcdef',
      'anthropic-beta': 'structured-outputs-2025-11-13',
    },
    signs: ['user-agent', 'x-session-id', 'x-session-affinity'],
  },
  'qwen-code': {
    headers: {
      ...stainless,
      'user-agent': 'claude-cli/0.24.4 (external, cli)',
      'x-app': 'cli',
      authorization: 'Bearer key',
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
    },
    signs: ['user-agent', 'x-app', 'x-stainless-lang'],
  },
  'copilot-cli': {
    headers: {
      ...stainless,
      'user-agent': 'Anthropic/JS 0.94.0',
      'x-initiator': 'user',
      'x-interaction-type': 'conversation-user',
      'x-stainless-helper-method': 'stream',
    },
    signs: ['x-initiator'],
  },
  pi: {
    headers: { ...stainless, 'user-agent': 'pi/1.6.0 (linux; node/v24.21.0; x64)' },
    signs: ['user-agent', 'x-stainless-lang'],
  },
  kimi: {
    headers: { ...stainless, 'user-agent': 'kimi-code-cli/2.1.0' },
    signs: ['user-agent', 'x-stainless-lang'],
  },
  continue: {
    headers: { 'user-agent': 'node-fetch', 'anthropic-beta': 'prompt-caching-2024-07-31' },
    signs: ['user-agent', 'anthropic-beta'],
  },
  'anthropic-sdk': {
    headers: { ...stainless, 'user-agent': 'Anthropic/JS 1.14.0', 'anthropic-version': '2026-10-21' },
    signs: ['user-agent', 'x-stainless-lang'],
  },
  'ai-sdk': {
    headers: {
      'user-agent': 'ai-sdk-anthropic/4.0.105 ai-sdk-provider-utils/5.0.81 node.js/24',
      'anthropic-beta': 'structured-outputs-2025-11-13',
    },
    signs: ['user-agent'],
  },
} as const satisfies Readonly<Record<string, ObservedHeaders>>;
