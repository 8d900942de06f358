import type { Environment } from './config/interpolate.ts';

/** A stream that a command writes to. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
}

/** The standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** All of it, once. */
  readAll(): Promise<string>;
  /** Shows a question and waits for a line; rejects when `signal` is aborted. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

/** What a command may touch of the world around it; `main.ts` makes it of the real process. */
export interface Surroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly pid: number;
  readonly platform: string;
  readonly input: Input;
  readonly out: Output;
  readonly err: Output;
  readonly clock: { now(): number };
  /** Fresh, unguessable ids. */
  readonly ids: () => string;
  /** The file's text; `undefined` where there is no such file. */
  readonly readFile: (file: string) => string | undefined;
  /** Calls `listener` at every SIGTERM and SIGINT until the returned function is called. */
  readonly onStop: (listener: () => void) => () => void;
  /** Ends the process at once, with whatever is under way. */
  readonly exitNow: (exitCode: number) => void;
}
