import { pins } from '../../pins.ts';
import type { ClientDriver } from '../driver.ts';
import { claudeAgentSdk } from './claude-agent-sdk.ts';
import { claudeCodeDriver } from './claude-code.ts';
import { continueCli } from './continue-cli.ts';
import { copilot } from './copilot.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';
import { sdkProgram } from './sdk-program.ts';

const claudeCode = claudeCodeDriver({
  title: 'Claude Code 2.1.332, own search off',
  packages: pins.claudeCode,
  ownToolSearch: false,
  sendsAllTools: true,
});

const claudeCodeSearching = claudeCodeDriver({
  title: 'Claude Code 2.1.332, own search on',
  packages: pins.claudeCode,
  ownToolSearch: true,
  sendsAllTools: false,
});

const claudeCodeBeforeSearch = claudeCodeDriver({
  title: 'Claude Code 2.1.302',
  packages: pins.claudeCodeBeforeSearch,
  ownToolSearch: undefined,
  sendsAllTools: true,
});

const anthropicSdk = sdkProgram({
  title: '@anthropic-ai/sdk 1.14.0',
  packages: pins.anthropicSdk,
  clientId: 'anthropic-sdk',
  program: 'anthropic-sdk.ts',
});

const aiSdk = sdkProgram({
  title: 'ai 7.0.173 with @ai-sdk/anthropic 4.0.105',
  packages: pins.aiSdk,
  clientId: 'ai-sdk',
  program: 'ai-sdk.ts',
});

/** In the order of the matrix. */
export const drivers: readonly ClientDriver[] = [
  claudeCode,
  claudeCodeSearching,
  claudeCodeBeforeSearch,
  claudeAgentSdk,
  opencode,
  qwenCode,
  copilot,
  pi,
  kimi,
  continueCli,
  anthropicSdk,
  aiSdk,
];

/** Those that `npm test` drives. */
export const quickDrivers: readonly ClientDriver[] = [claudeCode, pi, anthropicSdk, aiSdk];
