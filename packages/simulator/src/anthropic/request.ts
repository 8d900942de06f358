import type { Model } from '@quartermaster/catalog';
import type { JsonObject } from '../json.ts';
import type { ModelRules } from './model-rules.ts';

export type CacheLife = '5m' | '1h';

/** One entry of `tools`, checked. */
export interface Tool {
  /** Empty for a toolset, which has no name of its own. */
  readonly name: string;
  readonly kind: 'client' | 'search' | 'server';
  /** The search tool's method; `undefined` for every other kind. */
  readonly search: 'bm25' | 'regex' | undefined;
  readonly isDeferred: boolean;
  /** As sent. */
  readonly definition: JsonObject;
}

/** One content block; string content is one text block. */
export interface Block {
  readonly type: string;
  readonly json: JsonObject;
  /** `messages.1.content.0`, as error messages name it. */
  readonly path: string;
}

export interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly Block[];
  /** `messages.1`. */
  readonly path: string;
  /** `clear_at: "next_user_message"`. */
  readonly isTurnScoped: boolean;
  /** `output_config.effort` of a system message. */
  readonly effort: string | undefined;
}

/** A Messages or count_tokens request that every check of its own shape has passed. */
export interface MessagesRequest {
  readonly model: Model;
  readonly rules: ModelRules;
  readonly tools: readonly Tool[];
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
  readonly betas: readonly string[];
  /** The whole body; its remaining members are read where they matter. */
  readonly body: JsonObject;
}

/** The life that a `cache_control` member asks for, or `undefined` where `value` is none. */
export function cacheLifeOf(value: unknown): CacheLife | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return 'ttl' in value && value.ttl === '1h' ? '1h' : '5m';
}
