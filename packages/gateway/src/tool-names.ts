import { detach } from './latin1.ts';

/**
 * Lists of tool names without repetitions. Equal lists are shared, and so are the names in lists that differ: ten
 * thousand tenants with sessions that declare alike would otherwise fill gigabytes.
 */

/** `names` with those of `more` that it lacks behind them; the very same list where it lacks none. */
export function joinNames(names: readonly string[], more: Iterable<string>): readonly string[] {
  const joined = new Set(names);
  for (const name of more) joined.add(name);
  return joined.size === names.length ? names : [...joined];
}

/** A list of `known` that has the same names in the same order; else `names`, in strings of the first of `known` or of their own. */
export function shareNames(
  names: readonly string[],
  known: readonly (readonly string[])[],
): readonly string[] {
  const same = known.find((list) => isSameList(list, names));
  if (same !== undefined) return same;
  const strings = new Map(known.slice(0, 1).flatMap((list) => list.map((name) => [name, name])));
  return names.map((name) => strings.get(name) ?? detach(name));
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}
