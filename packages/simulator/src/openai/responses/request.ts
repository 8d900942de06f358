import type { Model } from '@quartermaster/catalog';
import type { JsonObject } from '../../json.ts';

/** A tool that a Responses request declares; the members of a namespace stand one by one. */
export interface ResponsesTool {
  readonly kind: 'function' | 'custom' | 'search' | 'hosted';
  /** Its type, where it has no name. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly isDeferred: boolean;
  /** As sent, without its namespace. */
  readonly definition: JsonObject;
  /** `tools[0]`, as error messages name it. */
  readonly path: string;
}

/** One item of the input; a plain text is one message of the user's. */
export interface Item {
  readonly type: string;
  readonly json: JsonObject;
  /** `input[1]`, as error messages name it. */
  readonly path: string;
}

/** A Responses request that every check of its own shape has passed. */
export interface ResponsesRequest {
  readonly model: Model;
  readonly tools: readonly ResponsesTool[];
  /** Those of the previous response first. */
  readonly items: readonly Item[];
  /** The whole body; its remaining members are read where they matter. */
  readonly body: JsonObject;
}

/** `crm.merge`, or the plain name outside a namespace. */
export function fullName({ name, namespace }: Pick<ResponsesTool, 'name' | 'namespace'>): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}
