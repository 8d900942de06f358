import { AgentError } from '../agent-error.ts';
import { fromJsonSchema } from './from-json-schema.ts';
import type { JsonSchema } from './from-json-schema.ts';
import type { InputSchema, ToolDefinition } from './tool.ts';

/** A tool of the AI SDK (`tool({ description, inputSchema, execute })`), as far as a registry needs it. */
export interface AiSdkTool {
  readonly description?: string | undefined;
  /** A Standard Schema, or what the SDK's `jsonSchema()` made. */
  readonly inputSchema?: unknown;
  readonly execute?: AiSdkExecute | undefined;
}

type AiSdkExecute = {
  bivarianceHack(
    input: unknown,
    options: {
      readonly toolCallId: string;
      readonly messages: readonly never[];
      readonly abortSignal: AbortSignal;
    },
  ): unknown;
}['bivarianceHack'];

/**
 * The definition of an AI SDK tool, to be registered with what the SDK has no word for: its name and its rights. The
 * SDK's own approval settings are not read: the gate decides. Throws `AgentError` for a tool without `execute`.
 */
export function fromAiSdkTool(
  tool: AiSdkTool,
  added: Pick<ToolDefinition, 'name' | 'capabilities' | 'requires'>,
): ToolDefinition {
  const { description = '', execute } = tool;
  if (execute === undefined) {
    throw new AgentError(
      'TOOL_BAD_DEFINITION',
      `Tool "${added.name}": expected an execute function; it has none, so a client was to run it. Give it one.`,
    );
  }
  return {
    ...added,
    description,
    inputSchema: toInputSchema(added.name, tool.inputSchema),
    run: (input, { callId, signal }) =>
      lastOf(execute.call(tool, input, { toolCallId: callId, messages: [], abortSignal: signal })),
  };
}

/** A generator yields preliminary results before the one that counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (!isObject(result) || !(Symbol.asyncIterator in result)) return await result;
  let last: unknown;
  for await (const one of result as AsyncIterable<unknown>) last = one;
  return last;
}

function toInputSchema(name: string, schema: unknown): InputSchema {
  if (isStandardSchema(schema)) return schema;
  if (isAiSdkSchema(schema)) return fromJsonSchema(schema.jsonSchema, (value) => validate(schema, value));
  throw new AgentError(
    'TOOL_BAD_DEFINITION',
    `Tool "${name}": expected an inputSchema that is a Standard Schema or was made by jsonSchema(); it is neither.`,
  );
}

interface AiSdkSchema {
  readonly jsonSchema: JsonSchema;
  readonly validate?: (value: unknown) => AiSdkValidation | PromiseLike<AiSdkValidation>;
}

type AiSdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

async function validate(schema: AiSdkSchema, value: unknown): Promise<unknown> {
  if (schema.validate === undefined) return value;
  const result = await schema.validate(value);
  if (!result.success) throw result.error;
  return result.value;
}

function isStandardSchema(schema: unknown): schema is InputSchema {
  return isObject(schema) && '~standard' in schema;
}

function isAiSdkSchema(schema: unknown): schema is AiSdkSchema {
  return isObject(schema) && 'jsonSchema' in schema && isObject(schema.jsonSchema);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
