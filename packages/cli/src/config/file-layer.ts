import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type ParsedNode,
} from 'yaml';
import { readText, type Entry, type Layer, type Origin, type Problem } from './entry.ts';
import { interpolate, type Environment } from './interpolate.ts';
import type { Setting, Settings } from './settings.ts';
import { adviseOnUnknownKey } from './unknown-key.ts';

interface Reading {
  readonly document: Document.Parsed;
  readonly settings: Settings;
  readonly env: Environment;
  readonly entries: Entry[];
  readonly problems: Problem[];
  at(offset: number): Origin;
}

type Node = ParsedNode | null;

/** Reads the text of a `qm.yaml`. `file` is how its name is shown. Collects every problem instead of the first. */
export function readFileLayer(
  source: { readonly file: string; readonly text: string },
  settings: Settings,
  env: Environment,
): Layer {
  const lines = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: lines, prettyErrors: false });
  const reading: Reading = {
    document,
    settings,
    env,
    entries: [],
    problems: [],
    at(offset) {
      const { line, col } = lines.linePos(offset);
      return { type: 'file', file: source.file, line, column: col };
    },
  };
  for (const { pos, message } of document.errors) {
    reading.problems.push({ origin: reading.at(pos[0]), message: `not valid YAML: ${message}` });
  }
  if (document.errors.length === 0) readSection(reading, document.contents, '');
  return { entries: reading.entries, problems: reading.problems, warnings: [] };
}

function readSection(reading: Reading, node: Node, section: string): void {
  const map = resolve(reading, node);
  // An empty file, or a section whose keys are all commented out.
  if (map === null || (isScalar(map) && map.value === null)) return;
  if (!isMap<ParsedNode, Node>(map)) {
    const keys =
      section === '' ? 'keys such as port: 4000' : `the keys of the section ${section} on lines of their own`;
    reading.problems.push({
      origin: reading.at(map.range[0]),
      message: `expected ${keys}, came ${showNode(map)}.`,
    });
    return;
  }
  for (const pair of map.items) readPair(reading, pair, section);
}

function readPair(reading: Reading, pair: Pair<ParsedNode, Node>, section: string): void {
  const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
  const path = section === '' ? key : `${section}.${key}`;
  const setting = reading.settings.find(path);
  if (reading.settings.sections.has(path)) {
    readSection(reading, pair.value, path);
  } else if (setting !== undefined) {
    readValue(reading, setting, pair);
  } else {
    const advice = adviseOnUnknownKey(key, section, reading.settings);
    reading.problems.push({
      origin: reading.at(pair.key.range[0]),
      message: `unknown key ${path}. ${advice}`,
    });
  }
}

function readValue(reading: Reading, setting: Setting, { key, value }: Pair<ParsedNode, Node>): void {
  const origin = reading.at((value ?? key).range[0]);
  const plain: unknown = resolve(reading, value)?.toJS(reading.document) ?? null;
  const texts = [plain].flat().filter((item) => typeof item === 'string');
  for (const text of texts) {
    const result = interpolate(text, reading.env);
    if (result.type !== 'text') {
      const problem = `the environment variable ${result.variable}, which this value names, is ${result.type}`;
      reading.problems.push({
        origin,
        message: `${setting.path}: ${problem}. Set it, or write the value out.`,
      });
      return;
    }
  }
  reading.entries.push({ path: setting.path, origin, ...fill(plain, setting, reading.env) });
}

/** The value with its variables put in, and, where there were any, the text that named them. */
function fill(plain: unknown, setting: Setting, env: Environment): Pick<Entry, 'value' | 'written'> {
  if (Array.isArray(plain)) {
    const items = plain.map((item: unknown) => fill(item, { ...setting, kind: 'text' }, env));
    const isChanged = items.some(({ written }) => written !== undefined);
    return { value: items.map(({ value }) => value), ...(isChanged && { written: JSON.stringify(plain) }) };
  }
  if (typeof plain !== 'string') return { value: plain };
  const result = interpolate(plain, env);
  if (result.type !== 'text' || !result.isChanged) return { value: plain.trim() };
  return { value: readText(setting, result.text), written: plain };
}

function resolve(reading: Reading, node: Node): Node {
  return isAlias(node) ? ((node.resolve(reading.document) as Node | undefined) ?? null) : node;
}

function showNode(node: ParsedNode): string {
  return isScalar(node) ? JSON.stringify(node.value) : 'a list';
}
