import { fromJsonSchema } from './from-json-schema.ts';
import type { InputSchema } from './tool.ts';

/** The arguments of a tool that takes texts, and one list of texts where `listName` says so. */
export function textsSchema(names: readonly string[], listName?: string): InputSchema {
  const text = { type: 'string' };
  return fromJsonSchema(
    {
      type: 'object',
      properties: {
        ...Object.fromEntries(names.map((name) => [name, text])),
        ...(listName !== undefined && { [listName]: { type: 'array', items: text } }),
      },
      required: names,
      additionalProperties: false,
    },
    (value) => {
      for (const name of names) readText(value, name);
      if (listName !== undefined) readTexts(value, listName);
      return value;
    },
  );
}

/** The argument of that name; throws `TypeError` unless it is a text. */
export function readText(input: unknown, name: string): string {
  const value = readMember(input, name);
  if (typeof value !== 'string') throw new TypeError(`expected ${name} to be a text.`);
  return value;
}

/** The list of that name, empty where it was left out; throws `TypeError` for anything but texts. */
export function readTexts(input: unknown, name: string): readonly string[] {
  const value = readMember(input, name) ?? [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new TypeError(`expected ${name} to be a list of texts.`);
}

/** What `value` has under that name, whatever it is. */
export function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
