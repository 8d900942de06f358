import { isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { Document } from 'yaml';
import { z } from 'zod';
import { nearestNames } from '../nearest-names.ts';

/** A file that people write. */
export interface YamlFile {
  /** How its name is shown. */
  readonly file: string;
  readonly text: string;
}

/** The keys and indexes that lead to a value. */
export type YamlPath = readonly PropertyKey[];

/** What a file says, or all that is wrong with it. */
export type YamlReading<Value> =
  | {
      readonly type: 'read';
      readonly value: Value;
      /** The line, from 1, of the value at a path, or of what is nearest around it. */
      readonly lineOf: (path: YamlPath) => number;
    }
  /** One line each, with file and line; no value of the file is in them. */
  | { readonly type: 'refused'; readonly faults: readonly string[] };

/** Reads a file of a strict schema: an unknown key is a fault that names the nearest known one. An empty file is `{}`. */
export function readStrictYaml<Schema extends z.ZodType>(
  schema: Schema,
  { file, text }: YamlFile,
): YamlReading<z.output<Schema>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const faults = findFaults(document).map(({ offset, message }) => `${file}:${lineAt(offset)}: ${message}`);
  if (faults.length > 0) return { type: 'refused', faults };
  const written = readValues(document);
  if (written === undefined)
    return { type: 'refused', faults: [`${file}:1: it repeats itself without end.`] };
  const reading: Reading = { schema, file, document, written, lineAt };
  const parsed = schema.safeParse(written);
  if (!parsed.success) {
    return { type: 'refused', faults: parsed.error.issues.flatMap((issue) => describeIssue(reading, issue)) };
  }
  return { type: 'read', value: parsed.data, lineOf: (path) => lineOf(reading, path) };
}

/** Nothing where its aliases stand for more than anybody would write. */
function readValues(document: Document.Parsed): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** What is no YAML, or names what is not there. */
function findFaults(
  document: Document.Parsed,
): readonly { readonly offset: number; readonly message: string }[] {
  if (document.errors.length > 0) {
    return document.errors.map(({ pos: [offset], message, code }) => ({
      offset,
      message: code === 'BAD_ALIAS' ? noText : message,
    }));
  }
  const offsets: number[] = [];
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined) offsets.push(alias.range?.[0] ?? 0);
    },
  });
  return offsets.map((offset) => ({ offset, message: noText }));
}

/** As `target: *.md` is none. */
const noText = 'what starts with * is no text in YAML; put it in quotes.';

interface Reading {
  readonly schema: z.ZodType;
  readonly file: string;
  readonly document: Document.Parsed;
  readonly written: unknown;
  readonly lineAt: (offset: number) => number;
}

function describeIssue(reading: Reading, issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') {
    return [`${reading.file}:${lineOf(reading, issue.path)}: ${[...issue.path, issue.message].join(': ')}.`];
  }
  const known = keysAt(reading.schema, reading.written, issue.path);
  return issue.keys.map((key) => {
    const [nearest] = nearestNames(key, known);
    const advice = nearest === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${nearest}?`;
    return `${reading.file}:${lineOfKey(reading, issue.path, key)}: unknown key "${key}". ${advice}`;
  });
}

/** The keys that the schema knows at a path; which of several forms it is there is read from what was written. */
function keysAt(schema: unknown, written: unknown, path: YamlPath): readonly string[] {
  const inner = unwrap(schema, written);
  const [step, ...rest] = path;
  if (step === undefined) return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  const value = isRecord(written) ? written[step] : undefined;
  if (inner instanceof z.ZodObject) return keysAt(inner.shape[String(step)], value, rest);
  if (inner instanceof z.ZodArray) return keysAt(inner.element, value, rest);
  return inner instanceof z.ZodRecord ? keysAt(inner.valueType, value, rest) : [];
}

function unwrap(schema: unknown, written: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap(), written);
  }
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const { discriminator } = schema.def;
  const isOfForm = (option: unknown): boolean =>
    option instanceof z.ZodObject &&
    isRecord(written) &&
    z.safeParse(option.shape[discriminator], written[discriminator]).success;
  return schema.options.find(isOfForm);
}

function lineOf({ document, lineAt }: Reading, path: YamlPath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
  }
  return 1;
}

function lineOfKey(reading: Reading, path: YamlPath, key: string): number {
  const { document, lineAt } = reading;
  const map: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map)
    ? map.items.find(({ key: name }) => isScalar(name) && name.value === key)
    : undefined;
  return isScalar(pair?.key) && pair.key.range ? lineAt(pair.key.range[0]) : lineOf(reading, path);
}

function isRecord(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null;
}
