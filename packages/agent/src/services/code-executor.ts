/** A program to run: its text, or a file of it. */
export type CodeSource = { readonly code: string } | { readonly file: string };

/** What to run and with what. */
export interface CodeRun {
  readonly language: CodeLanguage;
  readonly source: CodeSource;
  readonly arguments?: readonly string[];
  /** Default: an empty folder of its own, deleted afterwards. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

/** What a code executor can run. */
export type CodeLanguage = 'javascript' | 'python' | 'shell';

/** How a run ended. A program that fails is an outcome, not an error. */
export interface CodeResult {
  /** `stopped-*`: the program and all it had started were killed. */
  readonly end: 'exited' | 'stopped-for-time' | 'stopped-for-output' | 'stopped-by-caller';
  /** Absent when a signal ended it. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs apart from this process, with limits of time and output and without its secrets. */
export interface CodeExecutor {
  /** Rejects with `AgentError` when the program could not be started. */
  run(run: CodeRun): Promise<CodeResult>;
}
