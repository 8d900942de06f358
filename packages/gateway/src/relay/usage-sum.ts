import { isObject, type JsonObject } from '../json.ts';

/** The usage of one answer after a later event told more of it: figures are cumulative, what is not told again stays. */
export function laterUsage(before: JsonObject, told: unknown): JsonObject {
  const known = Object.entries(isObject(told) ? told : {}).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(known) };
}

/**
 * The sum of several answers' usage in the provider's own shape (Q4): numbers add up. Where the provider tells its
 * samplings apart, an answer of one only is one of them.
 */
export function sumUsage(usages: readonly JsonObject[]): JsonObject {
  const sum = usages.reduce(addObjects, {});
  const [shape] = usages.flatMap(iterationsIn);
  if (shape === undefined) return sum;
  return { ...sum, iterations: usages.flatMap((usage) => samplingsOf(usage, shape)) };
}

function samplingsOf(usage: JsonObject, shape: JsonObject): readonly JsonObject[] {
  const told = iterationsIn(usage);
  if (told.length > 0) return told;
  const figures = Object.entries(usage).filter(([key]) => key in shape);
  return [{ ...('type' in shape && { type: shape['type'] }), ...Object.fromEntries(figures) }];
}

function iterationsIn({ iterations }: JsonObject): readonly JsonObject[] {
  return Array.isArray(iterations) ? iterations.filter(isObject) : [];
}

function addObjects(left: JsonObject, right: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...keys].map((key) => [key, add(left[key], right[key])]));
}

function add(left: unknown, right: unknown): unknown {
  if (right === undefined || right === null) return left ?? right;
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  return isObject(left) && isObject(right) ? addObjects(left, right) : right;
}
