/** What an error of this package means to whoever has to answer for it. */
export interface RuntimeErrorTraits {
  /** The HTTP status for a server that can't go on. */
  readonly status: number;
  readonly fault: 'application' | 'operator' | 'caller' | 'upstream';
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every code of `RuntimeError`. */
export const runtimeErrors = {
  /** Another turn has the session; the message names it (L1). */
  RUNTIME_SESSION_BUSY: { status: 409, fault: 'caller', retryable: true },
  /** There is no such session. */
  RUNTIME_SESSION_MISSING: { status: 404, fault: 'caller', retryable: false },
  /** There is no such message in the session. */
  RUNTIME_MESSAGE_MISSING: { status: 404, fault: 'caller', retryable: false },
  /** A request id came a second time with another text (RS4). */
  RUNTIME_REQUEST_CONFLICT: { status: 409, fault: 'caller', retryable: false },
  /** A request came a second time, and its turn never ended; it is not run again (R1). */
  RUNTIME_TURN_CUT: { status: 409, fault: 'caller', retryable: false },
  /** Another process took the session over; this one wrote nothing more. */
  RUNTIME_TURN_LOST: { status: 503, fault: 'operator', retryable: false },
  /** The model made the same call again and again, also after it was told (RL4). */
  RUNTIME_LOOP: { status: 502, fault: 'upstream', retryable: false },
  /** The model was asked as often as one turn allows. */
  RUNTIME_TOO_MANY_ITERATIONS: { status: 502, fault: 'upstream', retryable: false },
  /** A model's stream ended in the middle of an answer. */
  RUNTIME_ANSWER_CUT: { status: 502, fault: 'upstream', retryable: true },
  /** The model gave no summary of the session (RL3). */
  RUNTIME_NO_SUMMARY: { status: 502, fault: 'upstream', retryable: true },
  /** A tool's text is another than the one that its session has frozen (D5). */
  RUNTIME_TOOL_OUTDATED: { status: 500, fault: 'operator', retryable: false },
  /** An item of a session can't be read; the session goes on without it. */
  RUNTIME_ITEM_UNREADABLE: { status: 500, fault: 'operator', retryable: false },
  /** A tool that hands work over was called outside a turn. */
  RUNTIME_NO_TURN: { status: 500, fault: 'application', retryable: false },
  /** A file of agents that can't be what was meant; every fault is named by file and line. */
  RUNTIME_AGENT_FILE: { status: 500, fault: 'operator', retryable: false },
  /** A model's key is not set; the variable is named, not its value. */
  RUNTIME_NO_CREDENTIAL: { status: 500, fault: 'operator', retryable: false },
  /** System prompt and tools alone fill the model's context; the largest toolsets are named. */
  RUNTIME_TOOLS_TOO_LARGE: { status: 500, fault: 'operator', retryable: false },
  /** An MCP server is not running, so that its tool was not called. */
  RUNTIME_MCP_UNAVAILABLE: { status: 503, fault: 'upstream', retryable: true },
  /** An MCP server answered a call with an error, or with no answer that can be read. */
  RUNTIME_MCP_FAILED: { status: 502, fault: 'upstream', retryable: false },
  /** An MCP server asks for a login that only a person can make, or one that is kept can't be used. */
  RUNTIME_MCP_LOGIN: { status: 503, fault: 'operator', retryable: false },
  /** Anything else that ended a turn. */
  RUNTIME_FAILED: { status: 500, fault: 'application', retryable: false },
  /** `close()` was called before. */
  RUNTIME_CLOSED: { status: 503, fault: 'caller', retryable: false },
} as const satisfies Record<string, RuntimeErrorTraits>;

/** A row of `runtimeErrors`. */
export type RuntimeErrorCode = keyof typeof runtimeErrors;

/** The one error of this package. The message says what was expected, what came and what to do. */
export class RuntimeError extends Error {
  override readonly name: string = 'RuntimeError';
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Another turn has the session (L1). */
export class SessionBusyError extends RuntimeError {
  override readonly name = 'SessionBusyError';
  /** The turn that runs. */
  readonly turn: string;

  constructor(session: string, turn: string) {
    super(
      'RUNTIME_SESSION_BUSY',
      `Expected session ${session} to be free; turn ${turn} runs in it. Wait for its end, steer it or cancel it.`,
    );
    this.turn = turn;
  }
}
