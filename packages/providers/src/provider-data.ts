import type { AssistantMessage, ModelApi, ProviderData } from '@quartermaster/agent/messages';
import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';

/** Whom a request goes to. */
export interface Addressee {
  readonly api: ModelApi;
  readonly provider: string;
  readonly id: string;
}

/** What the part holds for this API; nothing where another gave it, so that each sees what it gave itself (RP3). */
export function dataFor(
  { providerData }: { readonly providerData?: ProviderData },
  { api }: Addressee,
): JsonObject | undefined {
  return providerData?.api === api && isJsonObject(providerData.data) ? providerData.data : undefined;
}

/**
 * Whether this very model gave the answer. Thoughts are bound to the model and to the conversation as it saw it, so
 * they go back to no other one, be it of the same vendor.
 */
export function isBy({ model }: AssistantMessage, { provider, id }: Addressee): boolean {
  return model.provider === provider && model.id === id;
}
