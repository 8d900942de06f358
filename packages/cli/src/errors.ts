/** What a shell can rely on for each code. */
interface ErrorTraits {
  /** 1: the work failed; 2: wrong use, which the same call again can't mend. */
  readonly exitCode: 1 | 2;
}

/** Every error that a command ends with. */
export const cliErrors = {
  CLI_BAD_AGENTS: { exitCode: 2 },
  CLI_BAD_CONFIG: { exitCode: 2 },
  CLI_CATALOG_UNREADABLE: { exitCode: 2 },
  CLI_DEMO_FAILED: { exitCode: 1 },
  CLI_FILE_UNREADABLE: { exitCode: 2 },
  CLI_GATEWAY_REFUSED: { exitCode: 1 },
  CLI_GATEWAY_UNREACHABLE: { exitCode: 1 },
  CLI_LISTEN_FAILED: { exitCode: 1 },
  CLI_LOGIN_FAILED: { exitCode: 1 },
  CLI_STORE_FAILED: { exitCode: 1 },
  CLI_TURN_FAILED: { exitCode: 1 },
  CLI_UNKNOWN_SESSION: { exitCode: 1 },
  CLI_WRONG_USE: { exitCode: 2 },
} as const satisfies Record<string, ErrorTraits>;

export type CliErrorCode = keyof typeof cliErrors;

/** Ends a command: its message goes to stderr, its code decides the exit code. */
export class CliError extends Error {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
  }
}
