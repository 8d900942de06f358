import type { Client } from './client.ts';
import { hasStainlessHeaders, isNamed } from './signs.ts';

/** Programs on an SDK: each has its own habits, of which nothing is known but what the SDK does by itself. */
const program = {
  sessionIn: undefined,
  agentOf: () => undefined,
  workingDirectoryLabel: undefined,
  workingDirectoryIn: 'system',
  coreTools: [],
  // The SDK keeps search blocks; what the program does with them is its own affair.
  echoesSearch: false,
  onFault: {
    retriedStatuses: [429, 500, 529],
    asksAgainAfterBrokenStream: false,
    repairsByText: false,
  },
} as const satisfies Partial<Client>;

/** Anthropic's own SDKs, observed in @anthropic-ai/sdk 1.14.0. */
export const anthropicSdk: Client = {
  ...program,
  id: 'anthropic-sdk',
  isSender: (headers) => isNamed(headers, 'Anthropic/') && hasStainlessHeaders(headers),
};

/** `ai` with @ai-sdk/anthropic, observed in versions 7.0.173 and 4.0.105. It marks nothing but its User-Agent. */
export const aiSdk: Client = {
  ...program,
  id: 'ai-sdk',
  isSender: (headers) =>
    isNamed(headers, 'ai-sdk-anthropic/') &&
    (headers['user-agent']?.includes(' ai-sdk-provider-utils/') ?? false) &&
    !hasStainlessHeaders(headers),
};
