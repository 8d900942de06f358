import type { IncomingHttpHeaders } from 'node:http';

/** What the gateway knows of one client program, as data: how it is recognised and how it names things. */
export interface Client {
  readonly id: string;
  /** By its session headers; a User-Agent alone is never enough, since others copy it. */
  isSender(headers: IncomingHttpHeaders): boolean;
  /** Names the conversation inside the session; `undefined` is the main one. */
  agentOf(headers: IncomingHttpHeaders): string | undefined;
  /** What stands on a line of its own before the path of the working directory, in the client's own words. */
  readonly workingDirectoryLabel: string | undefined;
  /** Tools that are the client's own core beyond the protected ones (RU4). */
  readonly coreTools: readonly string[];
  /** Whether it echoes search blocks verbatim, so that it may see them; for any other they are taken out and put back (Q2). */
  readonly echoesSearch: boolean;
}
