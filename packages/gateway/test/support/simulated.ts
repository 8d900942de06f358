import { catalog } from '@quartermaster/catalog';
import {
  createSimulator,
  type SimulatedRequest,
  type Simulator,
  type SimulatorMode,
  type SimulatorOptions,
} from '@quartermaster/simulator';
import { startServer } from './server.ts';

/** One request that reached the provider, with its bytes. */
export interface ArrivedRequest {
  readonly request: SimulatedRequest;
  readonly body: string;
}

export interface RunningSimulator extends AsyncDisposable {
  readonly url: URL;
  readonly simulator: Simulator;
  /** Everything that arrived, the gateway's own checks left out. */
  readonly arrived: readonly ArrivedRequest[];
  /** From the next request on the provider is of this kind. */
  become(mode: SimulatorMode): void;
}

export const countByLength = (text: string): number => Math.ceil(text.length / 4);

/** The simulated provider, with thinking binding on. */
export async function startSimulator(options: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  const arrived: ArrivedRequest[] = [];
  let { mode = 'faithful' } = options;
  const simulator = createSimulator({
    catalog,
    clock: { now: () => Date.now() },
    countTokens: countByLength,
    binding: true,
    onRequest: (request, body) => {
      const text = body.toString('utf8');
      if (!text.includes('quartermaster_check_')) arrived.push({ request, body: text });
    },
    ...options,
    get mode() {
      return mode;
    },
  });
  const running = await startServer(simulator.listener);
  return {
    url: running.url,
    simulator,
    arrived,
    become: (next) => {
      mode = next;
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
