import { GatewayError } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Preset } from '../options.ts';

/** What an account may set (PR2). */
export interface AccountSettings {
  readonly preset: Preset;
  readonly toolfilter: Toolfilter;
  /** Decisions made before this were ended on request (O7). Epoch ms; 0 where none were. */
  readonly endedAtMs: number;
}

/** What is done to the tools of new threads (PR2). */
export interface Toolfilter {
  /** Declarations that `xhigh` and `ultrahigh` leave out: a tool's name, or `mcp__server`. */
  readonly remove: readonly string[];
  /** Has an effect in `ultrahigh` only. */
  readonly defer: 'auto' | 'off';
  /** Tools that are never deferred (RU4): a name, `mcp__server`, or a prefix ending in `*`. */
  readonly keep: readonly string[];
}

/** The part of the settings that was set by command; the rest are the gateway's defaults. */
export interface SettingsOverrides {
  readonly preset?: Preset;
  readonly toolfilter?: Partial<Toolfilter>;
  readonly endedAtMs?: number;
}

/** A change that someone asks for. */
export interface SettingsChange {
  readonly preset?: Preset;
  readonly remove?: ListChange;
  readonly keep?: ListChange;
  readonly defer?: Toolfilter['defer'];
  readonly endedAtMs?: number;
}

/** Replaces a list, or adds and deletes single names, so that two who change it don't undo each other's work. */
export type ListChange =
  | { readonly type: 'replace'; readonly names: readonly string[] }
  | { readonly type: 'edit'; readonly add: readonly string[]; readonly delete: readonly string[] };

const presets = ['off', 'observe', 'xhigh', 'ultrahigh'] as const satisfies readonly Preset[];

/** Whether requests of new threads may be edited: only then are there records (presets table). */
export function isEditing(preset: Preset): boolean {
  return preset === 'xhigh' || preset === 'ultrahigh';
}

/** Whether new threads may defer (PR2). */
export function isDeferring({ preset, toolfilter }: AccountSettings): boolean {
  return preset === 'ultrahigh' && toolfilter.defer === 'auto';
}

/** What new threads leave out, as far as PR3 lets them. */
export function removalList({ preset, toolfilter }: AccountSettings): readonly string[] {
  return isEditing(preset) ? toolfilter.remove : [];
}

/** What is in force: what was set, over the defaults. */
export function withOverrides(defaults: AccountSettings, overrides: SettingsOverrides): AccountSettings {
  return { ...defaults, ...overrides, toolfilter: { ...defaults.toolfilter, ...overrides.toolfilter } };
}

/** The overrides after a change; `current` is what is in force before it. */
export function applyChange(
  overrides: SettingsOverrides,
  { preset, remove, keep, defer, endedAtMs }: SettingsChange,
  current: AccountSettings,
): SettingsOverrides {
  const toolfilter: Partial<Toolfilter> = {
    ...overrides.toolfilter,
    ...(remove !== undefined && { remove: changeList(current.toolfilter.remove, remove) }),
    ...(keep !== undefined && { keep: changeList(current.toolfilter.keep, keep) }),
    ...(defer !== undefined && { defer }),
  };
  return {
    ...overrides,
    ...(preset !== undefined && { preset }),
    ...(endedAtMs !== undefined && { endedAtMs }),
    ...(Object.keys(toolfilter).length > 0 && { toolfilter }),
  };
}

function changeList(list: readonly string[], change: ListChange): readonly string[] {
  if (change.type === 'replace') return [...new Set(change.names)];
  const gone = new Set(change.delete);
  const names = [...list, ...change.add].filter((name) => !gone.has(name));
  if (names.length > maxNames) throw refuse('toolfilter', `at most ${maxNames} names`, names.length);
  return [...new Set(names)];
}

/** Reads stored overrides. What a later version may have written beside them is left out; `undefined`: no settings. */
export function parseOverrides(text: string): SettingsOverrides | undefined {
  try {
    const parsed = readObject(JSON.parse(text), 'settings');
    const filter = readObject(parsed['toolfilter'] ?? {}, 'toolfilter');
    const toolfilter: Partial<Toolfilter> = {
      ...(filter['remove'] !== undefined && { remove: readNames(filter['remove'], 'remove') }),
      ...(filter['keep'] !== undefined && { keep: readNames(filter['keep'], 'keep') }),
      ...(filter['defer'] !== undefined && { defer: readChoice(filter['defer'], 'defer', deferChoices) }),
    };
    const { preset, endedAtMs } = parsed;
    return {
      ...(preset !== undefined && { preset: readChoice(preset, 'preset', presets) }),
      ...(typeof endedAtMs === 'number' && { endedAtMs }),
      toolfilter,
    };
  } catch {
    return undefined;
  }
}

/** Reads a change as `PATCH /api/v1/account` takes it. Throws `GATEWAY_BAD_REQUEST`. */
export function parseChange(body: unknown): SettingsChange {
  const { preset, toolfilter = {}, ...unknown } = readObject(body, 'the body');
  const { remove, keep, defer, ownSearch, ...unknownInFilter } = readObject(toolfilter, 'toolfilter');
  requireNone(unknown, '', ['preset', 'toolfilter']);
  requireNone(unknownInFilter, 'toolfilter.', ['remove', 'keep', 'defer', 'ownSearch']);
  // OS3: nothing else is there to be switched on yet.
  if (ownSearch !== undefined) readChoice(ownSearch, 'toolfilter.ownSearch', ['off']);
  return {
    ...(preset !== undefined && { preset: readChoice(preset, 'preset', presets) }),
    ...(remove !== undefined && { remove: readListChange(remove, 'toolfilter.remove') }),
    ...(keep !== undefined && { keep: readListChange(keep, 'toolfilter.keep') }),
    ...(defer !== undefined && { defer: readChoice(defer, 'toolfilter.defer', deferChoices) }),
  };
}

const deferChoices = ['auto', 'off'] as const;
const maxNames = 1_000;
const maxNameLength = 256;

function readListChange(value: unknown, path: string): ListChange {
  if (Array.isArray(value)) return { type: 'replace', names: readNames(value, path) };
  const { add = [], delete: gone = [], ...unknown } = readObject(value, path);
  requireNone(unknown, `${path}.`, ['add', 'delete']);
  return {
    type: 'edit',
    add: readNames(add, path),
    delete: readNames(gone, path),
  };
}

function readNames(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value) || value.length > maxNames)
    throw refuse(path, `a list of at most ${maxNames} names`, value);
  return value.map((name: unknown) => readName(name, path));
}

/** PR3 knows exact names and whole servers, and no patterns; RU4's list knows a prefix too. */
function readName(name: unknown, path: string): string {
  const isName = typeof name === 'string' && name !== '' && name.length <= maxNameLength;
  if (!isName) throw refuse(path, `a tool's name of at most ${maxNameLength} characters`, name);
  if (path.endsWith('remove') && name.includes('*'))
    throw refuse(path, "a tool's exact name or mcp__server, without *", name);
  return name;
}

function readChoice<const Choice extends string>(
  value: unknown,
  path: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  throw refuse(path, choices.map((name) => `"${name}"`).join(' or '), value);
}

function readObject(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw refuse(path, 'a JSON object', value);
  return value;
}

function requireNone(unknown: object, prefix: string, known: readonly string[]): void {
  const [first] = Object.keys(unknown);
  if (first === undefined) return;
  throw new GatewayError(
    'GATEWAY_BAD_REQUEST',
    `${prefix}${first}: there is no such setting; known are ${known.map((name) => prefix + name).join(', ')}.`,
  );
}

function refuse(path: string, expected: string, came: unknown): GatewayError {
  const shown = (JSON.stringify(came) ?? 'nothing').slice(0, 80);
  return new GatewayError('GATEWAY_BAD_REQUEST', `${path}: expected ${expected}, got ${shown}.`);
}
