import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import { continuedRequest } from './continuation.ts';
import type { GoOn, NextAnswer, RelayOptions } from './turn.ts';
import { maxContinuations, unfinished } from './unfinished.ts';

/** Before a request to go on is sent once more, and once more again. */
const waitsMs = [500, 1_000] as const;
/** A provider that wants to be left alone for longer has its answer passed on. */
const maxWaitMs = 10_000;

/**
 * Asks the provider to go on with a turn. These requests are the gateway's own, and the client holds a part of the turn: it
 * could only begin that again, and be billed twice. So what may pass is tried again here. Each try counts as one of the
 * five (Q4).
 */
export function createGoOn(
  sent: Buffer,
  { response, resend, onContinue }: Pick<RelayOptions, 'response' | 'resend' | 'onContinue'>,
): GoOn {
  let asked = 0;
  return async (told, shown) => {
    const body = continuedRequest(sent, told);
    if (body === undefined || asked >= maxContinuations) return { type: 'error', error: unfinished() };
    for (let tries = 0; ; tries += 1) {
      asked += 1;
      onContinue();
      const next = await resend(body, shown).catch(toError);
      const waitMs = asked < maxContinuations ? waitAfter(next, tries) : undefined;
      if (waitMs === undefined) return next;
      if (next?.type === 'fault') next.start.incoming.destroy();
      await timeOrClose(response, waitMs);
      if (response.destroyed) return undefined;
    }
  };
}

function toError(error: unknown): NextAnswer {
  if (error instanceof GatewayError) return { type: 'error', error };
  throw error;
}

/** How long to wait before the next try, in ms; `undefined`: there is to be none. */
function waitAfter(next: NextAnswer | undefined, tries: number): number | undefined {
  const usual = waitsMs[tries];
  if (usual === undefined || next === undefined || next.type === 'answer') return undefined;
  if (next.type === 'error') return usual;
  const { incoming } = next.start;
  if (!mayPass(incoming)) return undefined;
  const told = incoming.headers['retry-after'];
  const toldMs = told === undefined ? usual : Number(told) * 1_000;
  return toldMs <= maxWaitMs ? toldMs : undefined;
}

/** As the vendors' SDKs judge it. */
function mayPass({ statusCode = 0, headers }: IncomingMessage): boolean {
  const told = headers['x-should-retry'];
  if (told === 'true' || told === 'false') return told === 'true';
  return statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500;
}

/** Resolves when the time is over, or the client gone. */
async function timeOrClose(response: ServerResponse, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  response.once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('close', resolve);
}
