import type { ClientInstall } from '../install.ts';
import type { ScriptCall } from '../upstream.ts';

/** Where a client runs: everything that differs between two runs of the same story. */
export interface Room {
  readonly install: ClientInstall;
  /** HOME: its settings and sessions; kept for all stories of one client in one world. */
  readonly home: string;
  /** Where it is started; a folder of its own for each story. */
  readonly workFolder: string;
  /** The provider as far as the client knows; without `/v1`. */
  readonly baseUrl: string;
}

export interface Ask {
  readonly prompt: string;
  /** Session to go on with: what an earlier turn named. */
  readonly resume?: string;
}

/** One run of the client's program: what a user would see of it. */
export interface Turn {
  /** `undefined` when it was killed at its deadline. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** What a later turn resumes, where the client says it. */
  readonly session: string | undefined;
}

/** One real client: how it is set up and run, and what of a story it knows. */
export interface ClientDriver {
  /** With its version, as it stands in the matrix. */
  readonly title: string;
  readonly packages: readonly string[];
  /** What the gateway's client table calls it; the stories hold what that says of it against the real program. */
  readonly clientId: string;
  /** Writes the client's settings, the fixture's MCP servers among them, into the room's home. */
  setUp(room: Room): Promise<void>;
  ask(room: Room, ask: Ask): Promise<Turn>;
  /** The call that runs a shell command with the client's own tool. */
  shell(command: string): ScriptCall;
  /** Two calls to tools of different units that sessions of shell commands leave unused. */
  readonly seldom: readonly [ScriptCall, ScriptCall];
  /** Where the client itself defers: the calls that find an MCP tool by its own search, and use it. */
  readonly ownSearch?: readonly ScriptCall[];
  /** The call that hands a prompt to a sub-agent. */
  readonly subAgent: ((prompt: string) => ScriptCall) | Inability;
  readonly compact: ((room: Room, session: string) => Promise<Turn>) | Inability;
}

/** Why a client takes no part in a story. */
export interface Inability {
  readonly why: string;
}
