import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { RuntimeError } from '../../runtime-error.ts';
import type { ProgramEnd } from './child-transport.ts';
import type { ServerPlace } from './server-config.ts';
import type { ServerEnd } from './server-life.ts';

/** What is known of a server's end. */
export interface EndFacts {
  readonly place: ServerPlace;
  /** Of a program. */
  readonly end: ProgramEnd | undefined;
  readonly startupMs: number;
}

/** Puts a server's end into words; `cause` is what hindered its start, or showed that it is gone. */
export function explainEnd(cause: unknown, { place, end, startupMs }: EndFacts): ServerEnd {
  const own = ownError(cause);
  if (own !== undefined) return { type: 'hopeless', problem: own.message };
  if (isRefusal(cause))
    return { type: 'hopeless', problem: 'It asks for a login or a key that it was not given.' };
  if (place.type === 'program' && isNoProgram(cause)) {
    return {
      type: 'hopeless',
      problem: `The program ${JSON.stringify(place.program.command)} can't be started.`,
    };
  }
  if (isTooLate(cause)) {
    return { type: 'failed', problem: `It was not ready within ${startupMs / 1_000} s.${saidBy(end)}` };
  }
  if (end !== undefined) return explainProgram(end, { wasUp: cause === undefined });
  const said = cause instanceof Error ? `: ${cause.message}` : '';
  return { type: 'failed', problem: `The connection was lost${said}`.slice(0, 500) };
}

function explainProgram(end: ProgramEnd, { wasUp }: { readonly wasUp: boolean }): ServerEnd {
  const { exitCode } = end;
  const how = exitCode === undefined ? 'was ended' : `ended with code ${exitCode}`;
  const when = wasUp ? '' : ' before it was ready';
  const problem = `The program ${how}${when}.${saidBy(end)}`;
  return { type: exitCode === 0 ? 'ended' : 'failed', problem };
}

function saidBy(end: ProgramEnd | undefined): string {
  return end === undefined || end.stderr === '' ? '' : ` It said: ${end.stderr.slice(-500)}`;
}

/** What this package said itself, however the protocol's client wrapped it. */
function ownError(cause: unknown): RuntimeError | undefined {
  for (let error = cause; error instanceof Error; error = error.cause ?? dataCause(error)) {
    if (error instanceof RuntimeError) return error;
  }
  return undefined;
}

function dataCause(error: Error): unknown {
  const data = 'data' in error ? error.data : undefined;
  return typeof data === 'object' && data !== null && 'cause' in data ? data.cause : undefined;
}

function isRefusal(cause: unknown): boolean {
  if (cause instanceof UnauthorizedError) return true;
  return cause instanceof SdkHttpError && (cause.status === 401 || cause.status === 403);
}

function isNoProgram(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR';
}

function isTooLate(cause: unknown): boolean {
  if (cause instanceof SdkError) return cause.code === SdkErrorCode.RequestTimeout;
  return cause instanceof Error && cause.name === 'TimeoutError';
}
