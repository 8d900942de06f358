import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { AgentError } from '../agent-error.ts';
import { explainUnknownKey, isMisspeltVariable } from './advise.ts';
import { findField, settingFields } from './fields.ts';
import type { SettingName } from './fields.ts';
import { readValue } from './read-value.ts';
import type { ValueReading } from './read-value.ts';
import type { Secret } from './secret.ts';
import { fillTemplate } from './template.ts';
import type { Variables } from './template.ts';

/** The settings of an application. What nobody set is absent; `defaultUser` is always there. */
export interface Settings {
  /** What agents without a model of their own use. */
  readonly model?: string;
  /** The user of a session call that names none (I1). */
  readonly defaultUser: string;
  readonly anthropicApiKey?: Secret;
  readonly openaiApiKey?: Secret;
  readonly googleApiKey?: Secret;
  /** Absent: the vendor's own. */
  readonly anthropicBaseUrl?: URL;
  readonly openaiBaseUrl?: URL;
  readonly googleBaseUrl?: URL;
}

/** A file of settings: YAML, with `${NAME}` for variables of the environment. */
export interface SettingsFile {
  /** How its name is shown. */
  readonly file: string;
  readonly text: string;
}

/** Where settings come from, the strongest first (C1). */
export interface SettingsSources {
  /** Arguments and flags; `undefined` is left out. */
  readonly explicit?: Readonly<Record<string, unknown>>;
  readonly env: Variables;
  readonly projectFile?: SettingsFile;
  readonly userFile?: SettingsFile;
}

/** Settings, and where each was set. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** For people: `ANTHROPIC_API_KEY`, `project.yaml:3`; what stands on its default is not in it. */
  readonly origins: ReadonlyMap<SettingName, string>;
}

/** The defaults, in the one place where they are written. */
const defaultSettings: Settings = { defaultUser: 'default' };

interface Entry {
  readonly key: string;
  readonly value: unknown;
  /** For people. */
  readonly origin: string;
}

/**
 * Reads the settings. Throws `SETTINGS_INVALID` that names every unknown key, with its file and line and the nearest
 * known one, and every value that is none (C2, C4): nothing falls back to a default because it was misspelt.
 */
export function loadSettings({ explicit = {}, env, projectFile, userFile }: SettingsSources): LoadedSettings {
  const faults: string[] = [];
  const sources = [
    Object.entries(explicit).map(([key, value]) => ({ key, value, origin: key })),
    readEnvironment(env, faults),
    ...[projectFile, userFile].map((file) => (file === undefined ? [] : readFile(file, env, faults))),
  ];
  const settings: Record<string, Extract<ValueReading, { type: 'value' }>['value']> = {};
  const origins = new Map<SettingName, string>();
  for (const entries of sources) {
    const given = entries.filter(({ value }) => value !== undefined);
    faults.push(...given.filter(({ key }) => findField(key) === undefined).map(explainUnknown));
    for (const { name, variable, kind } of settingFields) {
      const found = given.find(({ key }) => key === variable) ?? given.find(({ key }) => key === name);
      if (found === undefined) continue;
      const reading = readValue(kind, found.value);
      if (reading.type === 'refused') faults.push(`${found.origin}: ${name}: expected ${reading.expected}.`);
      else if (!origins.has(name)) {
        settings[name] = reading.value;
        origins.set(name, found.origin);
      }
    }
  }
  if (faults.length > 0) throw new AgentError('SETTINGS_INVALID', faults.join('\n'));
  return { settings: { ...defaultSettings, ...settings }, origins };
}

function explainUnknown({ key, origin }: Entry): string {
  return `${origin === key ? '' : `${origin}: `}${explainUnknownKey(key)}`;
}

/** Ours alone: an environment holds much that is for others. What was meant for us and misspelt is refused. */
function readEnvironment(env: Variables, faults: string[]): readonly Entry[] {
  const entries = Object.entries(env).map(([key, value]) => ({ key, value, origin: key }));
  const misspelt = entries.filter(({ key }) => findField(key) === undefined && isMisspeltVariable(key));
  faults.push(...misspelt.map(explainUnknown));
  return entries.filter(({ key }) => findField(key) !== undefined);
}

function readFile({ file, text }: SettingsFile, env: Variables, faults: string[]): readonly Entry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    faults.push(...document.errors.map(({ pos, message }) => `${placeOf(pos[0])}: ${message}`));
    return [];
  }
  if (document.contents === null) return [];
  if (!isMap(document.contents)) {
    faults.push(`${file}:1: expected settings such as model: NAME, one a line.`);
    return [];
  }
  return document.contents.items.map(({ key, value }) => {
    const origin = placeOf(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
    const plain: unknown = isScalar(value) ? value.value : null;
    return {
      key: isScalar(key) ? String(key.value) : '',
      value: fill(plain, { env, origin, faults }),
      origin,
    };
  });
}

function fill(
  value: unknown,
  { env, origin, faults }: { readonly env: Variables; readonly origin: string; readonly faults: string[] },
): unknown {
  if (typeof value !== 'string') return value;
  try {
    return fillTemplate(value, env);
  } catch (error) {
    faults.push(`${origin}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
