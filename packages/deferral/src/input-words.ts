/** Deeper arguments tell no tool apart; a schema of a stranger may be nested without end. */
const maxDepth = 6;

/** Where a schema says what it is for, in words. */
const textKeys: ReadonlySet<string> = new Set(['title', 'description']);

/** The names of a tool's arguments and what is said of them, nested ones too, out of their JSON Schema. */
export function inputText(schema: unknown): string {
  return textsOf(schema, maxDepth).join('\n');
}

function textsOf(schema: unknown, depth: number): readonly string[] {
  if (typeof schema !== 'object' || schema === null || depth === 0) return [];
  if (Array.isArray(schema)) return schema.flatMap((inner) => textsOf(inner, depth - 1));
  return Object.entries(schema).flatMap(([key, inner]) => {
    if (typeof inner === 'string') return textKeys.has(key) ? [inner] : [];
    return key === 'properties' ? argumentsOf(inner, depth) : textsOf(inner, depth - 1);
  });
}

/** Any name may stand here, also that of a keyword. */
function argumentsOf(properties: unknown, depth: number): readonly string[] {
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, inner]) => [name, ...textsOf(inner, depth - 1)]);
}
