/**
 * Every real client that the tests drive, at the exact version whose behaviour docs/clients.md states. A version is
 * changed here and nowhere else.
 */
export const pins = {
  claudeCode: ['@anthropic-ai/claude-code@2.1.332'],
  /** The last known version whose own tool search is off behind a custom base URL. */
  claudeCodeBeforeSearch: ['@anthropic-ai/claude-code@2.1.302'],
  claudeAgentSdk: ['@anthropic-ai/claude-agent-sdk@0.3.332'],
  opencode: ['opencode-ai@1.18.33'],
  qwenCode: ['@qwen-code/qwen-code@0.24.4'],
  copilot: ['@github/copilot@1.0.102'],
  pi: ['@earendil-works/pi-coding-agent@1.6.0'],
  kimi: ['@moonshot-ai/kimi-code@2.1.0'],
  continueCli: ['@continuedev/cli@1.5.47'],
  anthropicSdk: ['@anthropic-ai/sdk@1.14.0'],
  aiSdk: ['ai@7.0.173', '@ai-sdk/anthropic@4.0.105', 'zod@4.6.7'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
