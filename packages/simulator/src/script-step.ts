/** One call of a scripted step. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Called even where the client declares no such tool. */
  readonly force?: boolean;
}

/**
 * What a script makes the simulated model answer with, on any API; the same words as in a prompt's
 * `@@[step, …]@@`. An empty step says "ok".
 */
export interface ScriptStep extends Partial<ScriptedCall> {
  readonly thinking?: string;
  readonly text?: string;
  /** What the model looks for with a declared search tool, before its calls. */
  readonly search?: string;
  /** The most that the search may find. */
  readonly limit?: number;
  /** Several calls at once. */
  readonly tools?: readonly ScriptedCall[];
  /** Everything that waits is searched for before the first of the calls, not each before its own. */
  readonly together?: boolean;
  /** Content blocks, output items or parts as the API sends them, instead of all the above. */
  readonly blocks?: readonly Readonly<Record<string, unknown>>[];
  /** `end_turn`, `tool_use`, `max_tokens`, `refusal`, or a word of the API's own. */
  readonly stop?: string;
  /** Something that goes wrong, `times` times (once by default); then the step is `then`. */
  readonly fault?: string;
  readonly times?: number;
  readonly then?: ScriptStep;
  /** Of the fault `status`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: string;
  readonly message?: string;
  /** The type or code of the error that the fault reports. */
  readonly etype?: string;
  /** Of the fault `hang`, in ms. */
  readonly delay?: number;
}
