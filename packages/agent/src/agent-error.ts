/** What an error of this package means to whoever has to answer for it. */
export interface AgentErrorTraits {
  /** The HTTP status for a server that can't go on. */
  readonly status: number;
  readonly fault: 'application' | 'operator' | 'caller';
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
}

/** Every code of `AgentError`. */
export const agentErrors = {
  /** A name is used a second time (T6). */
  TOOL_DUPLICATE: { status: 500, fault: 'application', retryable: false },
  /** A variant of a name that nobody declared (T7). */
  TOOL_UNDECLARED_VARIANT: { status: 500, fault: 'application', retryable: false },
  /** A variant or a second declaration that contradicts the declaration (T7). */
  TOOL_CONTRADICTION: { status: 500, fault: 'application', retryable: false },
  /** A declared name that the backend in use has no variant of (T8). */
  TOOL_AMBIGUOUS: { status: 500, fault: 'application', retryable: false },
  /** A name that no tool has. */
  TOOL_UNKNOWN: { status: 500, fault: 'application', retryable: false },
  /** A definition that can't be registered: its name, its schema or its callable. */
  TOOL_BAD_DEFINITION: { status: 500, fault: 'application', retryable: false },
  /** A key that is no service, or none that can be declared (S1). */
  SERVICE_UNKNOWN: { status: 500, fault: 'application', retryable: false },
  /** A tool takes a service that it did not declare. */
  SERVICE_NOT_REQUIRED: { status: 500, fault: 'application', retryable: false },
  /** A service could not do what was asked: a file, a URL or a program. */
  SERVICE_FAILED: { status: 502, fault: 'caller', retryable: true },
  /** The agents do not form one tree, or a prompt is none (G2, G4). */
  AGENT_GRAPH: { status: 500, fault: 'application', retryable: false },
  /** A rule or a policy file that can't be what was meant (P3, P4). */
  POLICY_INVALID: { status: 500, fault: 'operator', retryable: false },
  /** A setting or credential that is unknown, empty or no value of its kind (C2, C4). */
  SETTINGS_INVALID: { status: 500, fault: 'operator', retryable: false },
  /** A template names a variable without a value (C4). */
  TEMPLATE_UNSET: { status: 500, fault: 'operator', retryable: false },
  /** A model that a run could use does not exist; all of them are named (M1, M3). */
  MODEL_UNKNOWN: { status: 404, fault: 'operator', retryable: false },
  /** Something that waits for the end of a turn is called from inside it (L1). */
  TURN_NESTED: { status: 500, fault: 'application', retryable: false },
  /** An engine's events ended without `turn-end`, or went on after it. */
  TURN_BAD_STREAM: { status: 500, fault: 'application', retryable: false },
  /** An engine threw in the middle of a turn. */
  TURN_FAILED: { status: 500, fault: 'application', retryable: false },
  /** Whoever is shown a turn's events threw. */
  TURN_CONSUMER_FAILED: { status: 500, fault: 'application', retryable: false },
  /** A question after the end of its turn (R4). */
  TURN_OVER: { status: 500, fault: 'application', retryable: false },
  /** A question where no person can be asked (L6). */
  TURN_NOBODY_TO_ASK: { status: 500, fault: 'application', retryable: false },
  /** A job's result that another process delivers (J1). */
  TURN_NOT_CLAIMED: { status: 409, fault: 'caller', retryable: false },
  /** A session call on a backend that keeps no sessions (I4). */
  SESSIONS_UNSUPPORTED: { status: 501, fault: 'application', retryable: false },
  /** A session that belongs to another application than the manager's (I1). */
  SESSION_OF_ANOTHER_APP: { status: 500, fault: 'application', retryable: false },
  /** A backend could not be made ready (R2). */
  BACKEND_NOT_STARTED: { status: 503, fault: 'operator', retryable: true },
  /** A backend was released each time that a turn was about to begin (L2). */
  BACKEND_RELEASED: { status: 503, fault: 'application', retryable: true },
  /** What a backend owned could not all be let go of (L4). */
  BACKEND_NOT_CLOSED: { status: 500, fault: 'application', retryable: false },
  /** A manager or its controller was closed before (L7). */
  WORKFLOW_CLOSED: { status: 503, fault: 'caller', retryable: false },
} as const satisfies Record<string, AgentErrorTraits>;

/** A row of `agentErrors`. */
export type AgentErrorCode = keyof typeof agentErrors;

/** The one error of this package. The message says what was expected, what came and what to do. */
export class AgentError extends Error {
  override readonly name: string = 'AgentError';
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
