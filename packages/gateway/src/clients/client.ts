import type { IncomingHttpHeaders } from 'node:http';

/**
 * What the gateway knows of one client program, as data: how it is recognised, how it names things, and what it does
 * with what it gets. Each statement was observed in the version that docs/clients.md names, and the client tests hold
 * it against the real program.
 */
export interface Client {
  readonly id: string;
  /** By several signs of its headers; a User-Agent alone is never enough, since others copy it. */
  isSender(headers: IncomingHttpHeaders): boolean;
  /** Where it names its session; `undefined`: nowhere, so that a conversation is known by how it opens. */
  readonly sessionIn: SessionPlace | undefined;
  /** Names the conversation inside the session; `undefined` is the main one. */
  agentOf(headers: IncomingHttpHeaders): string | undefined;
  /** What stands at the start of a line before the path of the working directory, in the client's own words. */
  readonly workingDirectoryLabel: string | undefined;
  /**
   * Where that line is looked for: in the system prompt, or in messages of the role `system`, else in the first block of
   * the first message. Nowhere else, or a prompt could choose its project.
   */
  readonly workingDirectoryIn: 'system' | 'messages';
  /** What ends the path, where that is not the end of the line. */
  readonly workingDirectoryEnd?: string;
  /** Tools that are the client's own core beyond the protected ones (RU4). */
  readonly coreTools: readonly string[];
  /** Whether it echoes search blocks verbatim, so that it may see them; for any other they are taken out and put back (Q2). */
  readonly echoesSearch: boolean;
  readonly onFault: FaultHabits;
}

/** Where a client's requests name their session: in a header, or in the body. */
export type SessionPlace =
  | { readonly header: string }
  /** A JSON object with a `session_id`, or a plain id that several conversations may share. */
  | { readonly body: 'metadata.user_id' };

/** What the client does by itself, before it tells its user, when one request of a turn fails. */
export interface FaultHabits {
  /** Statuses after which it sends the same request again. */
  readonly retriedStatuses: readonly number[];
  /** After a stream that is cut off, or that ends with an error event: whether it asks again. */
  readonly asksAgainAfterBrokenStream: boolean;
  /** Whether it reads the text of a 400 and sends the request again without what was refused. */
  readonly repairsByText: boolean;
}
