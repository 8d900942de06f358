/** A tool as a client declares it in the Messages API. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly input_schema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

/** A declaration of text parameters. Those whose name ends in `?` may be left out. */
export function declareTool(
  name: string,
  description: readonly string[],
  parameters: Readonly<Record<string, string | object>>,
): ToolDeclaration {
  const entries = Object.entries(parameters).map(
    ([key, value]) =>
      [
        key.replace('?', ''),
        typeof value === 'string' ? { type: 'string', description: value } : value,
      ] as const,
  );
  return {
    name,
    description: description.join('\n'),
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(entries),
      required: Object.keys(parameters).filter((key) => !key.endsWith('?')),
      additionalProperties: false,
    },
  };
}

export function number(description: string): object {
  return { type: 'integer', minimum: 0, description };
}

export function flag(description: string): object {
  return { type: 'boolean', description };
}

export function oneOf(names: readonly string[], description: string): object {
  return { type: 'string', enum: names, description };
}
