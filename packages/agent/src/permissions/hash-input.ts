import { hash } from 'node:crypto';
import { isProxy } from 'node:util/types';

/**
 * A hash that two inputs share only when they are equal, whatever the order of their keys. `undefined` for an input with
 * something in it that has no value of its own to compare: a function, a symbol, an object with a class, a cycle, and
 * what is computed, and may be another at the next look.
 */
export function hashInput(input: unknown): string | undefined {
  const text = encode(input, []);
  return text === undefined ? undefined : hash('sha256', text);
}

/** Each value with its type, so that no text can pass for another value. */
function encode(value: unknown, around: readonly object[]): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      return value === null ? 'null' : encodeObject(value, around);
    default:
      return undefined;
  }
}

function encodeObject(value: object, around: readonly object[]): string | undefined {
  if (around.includes(value) || isProxy(value)) return undefined;
  const within = [...around, value];
  if (Array.isArray(value)) {
    const items = Array.from(value, (_, index) => encodeMember(value, String(index), within));
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  if (value instanceof Date) return `date ${value.getTime()}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => ({ key: JSON.stringify(key), member: encodeMember(value, key, within) }));
  const isWhole = members.length === Reflect.ownKeys(value).length;
  if (!isWhole || members.some(({ member }) => member === undefined)) return undefined;
  return `{${members.map(({ key, member }) => `${key}:${member}`).join(',')}}`;
}

function encodeMember(holder: object, key: string, within: readonly object[]): string | undefined {
  const held = Object.getOwnPropertyDescriptor(holder, key);
  return held !== undefined && 'value' in held ? encode(held.value, within) : undefined;
}
