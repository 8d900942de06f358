import { pins } from '../../pins.ts';
import type { ClientDriver } from '../driver.ts';
import { sdkProgram } from './sdk-program.ts';

const anthropicSdk = sdkProgram({
  title: '@anthropic-ai/sdk 1.14.0',
  packages: pins.anthropicSdk,
  program: 'anthropic-sdk.ts',
});

const aiSdk = sdkProgram({
  title: 'ai 7.0.173 with @ai-sdk/anthropic 4.0.105',
  packages: pins.aiSdk,
  program: 'ai-sdk.ts',
});

/** In the order of the matrix. */
export const drivers: readonly ClientDriver[] = [anthropicSdk, aiSdk];

/** Those that `npm test` drives. */
export const quickDrivers: readonly ClientDriver[] = [anthropicSdk, aiSdk];
