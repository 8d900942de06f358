import type { Setting } from './settings.ts';

/** Where the value of a setting came from. `line` and `column` count from 1. */
export type Origin =
  | { readonly type: 'default' }
  | { readonly type: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly type: 'environment'; readonly variable: string }
  | { readonly type: 'flag'; readonly flag: string };

/** One setting as one layer gives it. */
export interface Entry {
  readonly path: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** The value as it was written, where variables were put into it: what may be shown of it. */
  readonly written?: string;
}

/** What is wrong, with where it stands. */
export interface Problem {
  readonly origin: Origin;
  readonly message: string;
}

/** What one layer gives. */
export interface Layer {
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** For people: `qm.yaml:3:9`, `QM_PORT`, `--port`, `default`. */
export function formatOrigin(origin: Origin): string {
  if (origin.type === 'file') return `${origin.file}:${origin.line}:${origin.column}`;
  if (origin.type === 'environment') return origin.variable;
  return origin.type === 'flag' ? origin.flag : 'default';
}

/** The value that a text stands for. A text that fits no number stays a text, for validation to refuse. */
export function readText(setting: Setting, text: string): unknown {
  const trimmed = text.trim();
  if (setting.kind === 'number' && /^-?\d+$/.test(trimmed)) return Number(trimmed);
  if (setting.kind === 'list') {
    return trimmed
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  return trimmed;
}
