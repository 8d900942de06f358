import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { catalog } from '@quartermaster/catalog';
import { createSimulator, type SimulatedRequest, type Simulator } from '@quartermaster/simulator';
import { startServer } from '../support/server.ts';
import { type ArrivedRequest, countByLength } from '../support/simulated.ts';

/** The simulated provider behind the gateways, binding on; it can come to refuse what defers. */
export interface Provider extends AsyncDisposable {
  readonly url: URL;
  readonly simulator: Simulator;
  isRefusing: boolean;
}

/** `onArrival` is told of each request before its answer, the gateways' own checks left out. */
export async function startProvider(onArrival: (arrived: ArrivedRequest) => void): Promise<Provider> {
  let isRefusing = false;
  const onRequest = (request: SimulatedRequest, body: Buffer): void => {
    const text = body.toString('utf8');
    if (!text.includes('quartermaster_check_')) onArrival({ request, body: text });
  };
  const simulator = createSimulator({
    catalog,
    clock: { now: () => Date.now() },
    countTokens: countByLength,
    binding: true,
    onRequest,
  });

  async function refuseDeferral(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const { method, url, headers } = request;
    const again = Object.assign(Readable.from([body]), {
      method,
      url,
      headers,
    }) as unknown as IncomingMessage;
    // A fault that comes by header is recorded as any request is.
    if (/"defer_loading":true\s*\}/.test(body.toString('latin1'))) headers['x-simulator-fault'] = '400';
    simulator.listener(again, response);
  }

  const { url, ...server } = await startServer((request, response) => {
    if (isRefusing) void refuseDeferral(request, response);
    else simulator.listener(request, response);
  });
  return {
    url,
    simulator,
    get isRefusing() {
      return isRefusing;
    },
    set isRefusing(isOn) {
      isRefusing = isOn;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
