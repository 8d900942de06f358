import { hash } from 'node:crypto';
import type { ToolDeclaration } from '@quartermaster/providers';
import type { RunnableAgent } from '../agents/runnable-agent.ts';

/**
 * Names what a prompt begins with beside the tools that its session has frozen: the system prompt, whether any tool
 * enters later, and whether any waits to be searched for; of these vendors tell the model at the beginning (D11). A
 * person may change all of it in the middle of a session; what a model has thought is bound to it.
 */
export function nameBeginning(
  { system, mayGrow }: Pick<RunnableAgent, 'system' | 'mayGrow'>,
  tools: readonly ToolDeclaration[],
): string {
  const isSearched = tools.some(({ isSearchOnly }) => isSearchOnly === true);
  const isDeferring = mayGrow || isSearched || tools.some(({ entersAt }) => entersAt !== undefined);
  return hash('sha256', JSON.stringify([system, isDeferring, isSearched]), 'base64url');
}
