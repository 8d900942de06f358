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
