import process from 'node:process';
import { runProgram } from './run-program.ts';
import type { ClientInstall } from './install.ts';

export interface ClaudeCodeOptions {
  readonly install: ClientInstall;
  /** HOME: its sessions and settings. A temporary folder. */
  readonly home: string;
  /** Where it is started: its project. */
  readonly workFolder: string;
  readonly baseUrl: string;
  /** `false` makes it send every tool in full; by default it leaves most of them out. */
  readonly ownToolSearch?: boolean;
  /** Added to the clean environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClaudeCodeTurn {
  /** Tools that it may run without asking. */
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  /** Id of a session to go on with. */
  readonly resume?: string;
  /** With `resume`: goes on under a new session id. */
  readonly forkSession?: boolean;
  /** Path of a JSON file; only its MCP servers are used. */
  readonly mcpConfig?: string;
  /** Prints every message as a line of JSON, the result last; else the result alone. */
  readonly streamsMessages?: boolean;
  readonly deadlineMs?: number;
}

/** What `--output-format json` prints, as far as tests look at it. */
export interface ClaudeCodeResult {
  readonly session_id: string;
  readonly is_error: boolean;
  readonly result: string;
  readonly num_turns: number;
}

export interface ClaudeCodeOutcome {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Absent when it printed no result. */
  readonly json?: ClaudeCodeResult;
  readonly durationMs: number;
}

/** The real program in print mode, with a home, a project and an environment of its own. */
export interface ClaudeCode {
  run(prompt: string, turn?: ClaudeCodeTurn): Promise<ClaudeCodeOutcome>;
}

export function createClaudeCode(options: ClaudeCodeOptions): ClaudeCode {
  const program = options.install.bin('claude');
  const env = claudeEnvironment(options);
  return {
    async run(prompt, turn = {}) {
      const { outOfTime, ...outcome } = await runProgram(program, turnArguments(prompt, turn), {
        folder: options.workFolder,
        env,
        deadlineMs: turn.deadlineMs ?? 60_000,
      });
      const json = parseResult(outcome.stdout);
      const stderr = outOfTime ? `${outcome.stderr}\nkilled at its deadline` : outcome.stderr;
      return { ...outcome, stderr, ...(json && { json }) };
    },
  };
}

/** Throws, with what the client said, where it printed no result. */
export function sessionOf(outcome: ClaudeCodeOutcome): string {
  if (outcome.json !== undefined) return outcome.json.session_id;
  throw new Error(
    `Claude Code printed no result (exit code ${outcome.exitCode}). It said: ${outcome.stderr}`,
  );
}

function turnArguments(prompt: string, turn: ClaudeCodeTurn): string[] {
  const format = turn.streamsMessages === true ? ['stream-json', '--verbose'] : ['json'];
  const args = ['-p', prompt, '--output-format', ...format];
  if (turn.allowedTools !== undefined) args.push('--allowedTools', turn.allowedTools.join(','));
  if (turn.model !== undefined) args.push('--model', turn.model);
  if (turn.resume !== undefined) args.push('--resume', turn.resume);
  if (turn.forkSession === true) args.push('--fork-session');
  if (turn.mcpConfig !== undefined) args.push('--mcp-config', turn.mcpConfig, '--strict-mcp-config');
  return args;
}

/** A clean environment in which nothing but the provider is talked to. */
export function claudeEnvironment(
  options: Pick<ClaudeCodeOptions, 'home' | 'baseUrl' | 'ownToolSearch' | 'env'>,
): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: options.home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: options.baseUrl,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(options.ownToolSearch === false && { ENABLE_TOOL_SEARCH: 'false' }),
    ...options.env,
  };
}

function parseResult(stdout: string): ClaudeCodeResult | undefined {
  let printed: unknown;
  try {
    printed = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
  return isResult(printed) ? printed : undefined;
}

function isResult(value: unknown): value is ClaudeCodeResult {
  return typeof value === 'object' && value !== null && 'session_id' in value && 'result' in value;
}
