import type { JsonObject } from '../json.ts';
import type { GeminiModel } from './models.ts';

/** One turn; its parts with their fields in camelCase. */
export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** A function that a request declares. */
export interface Declaration {
  readonly name: string;
  readonly definition: JsonObject;
}

/** A generateContent or countTokens request that every check has passed. */
export interface GeminiRequest {
  readonly model: GeminiModel;
  readonly contents: readonly Content[];
  readonly systemParts: readonly JsonObject[];
  readonly declarations: readonly Declaration[];
  /** Tools that Google runs, as sent. */
  readonly hostedTools: readonly JsonObject[];
  readonly functionCalling: {
    readonly mode: string;
    readonly allowed: readonly string[] | undefined;
  };
  readonly generationConfig: JsonObject;
  readonly thinkingConfig: JsonObject;
}
