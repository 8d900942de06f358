import type { InputSchema } from './tool.ts';

/** A JSON Schema, as far as this package looks into it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The input schema of a tool that checks its own arguments and states their form as JSON Schema, as an MCP server does.
 * `validate` gives the value or throws; without it every value passes.
 */
export function fromJsonSchema<Input = unknown>(
  jsonSchema: JsonSchema,
  validate: (value: unknown) => Input | Promise<Input> = (value) => value as Input,
): InputSchema<Input> {
  return {
    '~standard': {
      version: 1,
      vendor: 'quartermaster',
      validate: async (value) => {
        try {
          return { value: await validate(value) };
        } catch (error) {
          return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
        }
      },
      jsonSchema: { input: () => ({ ...jsonSchema }), output: () => ({ ...jsonSchema }) },
    },
  };
}

/** What a provider is told about a tool's arguments. */
export function toJsonSchema({ '~standard': { jsonSchema } }: InputSchema): JsonSchema {
  return jsonSchema.input({ target: 'draft-2020-12' });
}
