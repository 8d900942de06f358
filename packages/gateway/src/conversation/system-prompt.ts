import type { MessagesOutline } from '@quartermaster/wire';
import { blocksOf, isBillingLine, textIn } from './opening.ts';

/**
 * What the client tells the model as its system prompt in this request (PR3): top-level `system`, without the billing
 * line, and every message of the role `system`. What users and tools say is not part of it.
 */
export function systemPromptOf({ system, messages }: MessagesOutline, text: string): string {
  const fromClient = (messages?.items ?? []).filter(({ role }) => role === 'system');
  return [system, ...fromClient.map(({ content }) => content)]
    .flatMap((content) => blocksOf(content, text))
    .filter((block) => !isBillingLine(block))
    .flatMap((block) => textIn(block) ?? [])
    .join('\n');
}
