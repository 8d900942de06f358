import { z } from 'zod';
import { configSchema } from './schema.ts';

/** One leaf of the configuration, read off the schema. */
export interface Setting {
  /** Dotted, as in `upstreams.anthropic`. */
  readonly path: string;
  /** Its environment variable: `QM_UPSTREAMS_ANTHROPIC`. */
  readonly variable: string;
  /** How a text (a variable, a flag, an interpolated value) becomes its value. */
  readonly kind: 'text' | 'number' | 'list';
  /** Whether it is a path of the file system: relative to the file that names it, else to the working folder. */
  readonly isPath: boolean;
}

export interface Settings {
  readonly all: readonly Setting[];
  /** Paths of the sections that hold settings. */
  readonly sections: ReadonlySet<string>;
  find(path: string): Setting | undefined;
}

const paths: ReadonlySet<string> = new Set(['store.folder', 'catalog']);

/** Lists what the schema knows. */
export function listSettings(): Settings {
  const all: Setting[] = [];
  const sections = new Set<string>();
  collect(configSchema, '', all, sections);
  return { all, sections, find: (path) => all.find((setting) => setting.path === path) };
}

function collect(section: z.ZodObject, prefix: string, all: Setting[], sections: Set<string>): void {
  for (const [key, schema] of Object.entries(section.shape)) {
    const path = prefix + key;
    const inner = unwrap(schema);
    if (inner instanceof z.ZodObject) {
      sections.add(path);
      collect(inner, `${path}.`, all, sections);
    } else {
      all.push({ path, variable: variableOf(path), kind: kindOf(inner), isPath: paths.has(path) });
    }
  }
}

function unwrap(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

/** `limits.bodyBytes` is `QM_LIMITS_BODY_BYTES`. */
function variableOf(path: string): string {
  const words = path.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `QM_${words.toUpperCase()}`;
}

function kindOf(schema: unknown): Setting['kind'] {
  if (schema instanceof z.ZodNumber) return 'number';
  return schema instanceof z.ZodArray ? 'list' : 'text';
}
