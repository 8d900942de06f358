import { createServer } from 'node:http';
import { once } from 'node:events';
import { catalog } from '@quartermaster/catalog';
import { createSimulator } from '@quartermaster/simulator';
import type { SimulatedRequest } from '@quartermaster/simulator';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** One request as it reached the provider. */
export interface UpstreamRequest extends SimulatedRequest {
  /** One character per byte, so that equal strings are equal bytes. */
  readonly raw: string;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The simulator on a port: it verifies thinking blocks, and bills. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** What it answered on `/v1/messages`, oldest first; with a session, that session's alone. */
  requests(session?: string): readonly UpstreamRequest[];
}

/** The prompt scripts the reply: see `scripted`. */
export async function startUpstream(): Promise<Upstream> {
  const seen: UpstreamRequest[] = [];
  const simulator = createSimulator({
    catalog,
    clock: { now: () => Date.now() },
    countTokens: (text) => countTokens(text),
    binding: true,
    onRequest: (request, body) =>
      seen.push({ ...request, raw: body.toString('latin1'), ...cacheUse(request) }),
  });
  const server = createServer(simulator.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulator has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: (session) =>
      seen.filter(
        (request) =>
          request.path === '/v1/messages' && (session === undefined || request.session === session),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A prompt that tells the simulated model what to do: one step a turn. */
export function scripted(name: string, steps: readonly ScriptStep[]): string {
  return `${name} @@${JSON.stringify(steps)}@@`;
}

export interface ScriptCall {
  readonly tool: string;
  readonly input: object;
}

export type ScriptStep =
  | { readonly text: string }
  | ScriptCall
  /** A search of the provider's, and what ends the turn after it. */
  | { readonly search: string; readonly limit: number; readonly stop: string }
  /** Several calls in one turn; with `together` all searches that they need come before the first of them. */
  | { readonly tools: readonly ScriptCall[]; readonly together?: boolean }
  /** Goes wrong once, and then is what `then` says. */
  | ScriptFault;

export interface ScriptFault {
  readonly fault: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etype?: string;
  readonly then: { readonly text: string };
}

function cacheUse({ usage }: SimulatedRequest): { readonly cacheRead: number; readonly cacheWrite: number } {
  return {
    cacheRead: Number(usage?.['cache_read_input_tokens'] ?? 0),
    cacheWrite: Number(usage?.['cache_creation_input_tokens'] ?? 0),
  };
}
