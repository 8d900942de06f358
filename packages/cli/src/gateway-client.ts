import { CliError } from './errors.ts';
import { loadCommandConfig, type CommandOptions } from './commands/setting-flags.ts';
import type { Surroundings } from './surroundings.ts';

/** A running gateway, asked over its JSON routes. */
export interface GatewayClient {
  /** Without a slash at the end. */
  readonly url: string;
  /**
   * The JSON of the answer. Raises `CLI_GATEWAY_UNREACHABLE`, `CLI_GATEWAY_REFUSED`, or `CLI_WRONG_USE` where the gateway
   * says that it was asked wrongly.
   */
  ask(method: 'GET' | 'PATCH' | 'POST', path: string, body?: object): Promise<unknown>;
  /** The status of the answer to a POST of `{}`; `undefined` where none came. Never rejects. */
  tryPost(path: string): Promise<number | undefined>;
}

/** Long enough for a store that waits for a lock. */
const timeoutMs = 15_000;
/** What is only tried is no reason to let anybody wait. */
const tryTimeoutMs = 3_000;

/** The gateway that the options name with `--url`, else the one of the configuration. Raises `CLI_BAD_CONFIG`. */
export function createGatewayClient(options: CommandOptions, surroundings: Surroundings): GatewayClient {
  const { config } = loadCommandConfig(options, surroundings);
  const { url: named } = options;
  const url = typeof named === 'string' ? readUrl(named) : urlOf(config);
  const headers = {
    'content-type': 'application/json',
    ...(config.adminToken !== undefined && { authorization: `Bearer ${config.adminToken}` }),
  };

  return {
    url,
    async ask(method, path, body) {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(
        (cause: unknown) => {
          throw unreachable(url, cause);
        },
      );
      const json: unknown = await answer.json().catch(() => undefined);
      if (answer.ok && json !== undefined) return json;
      throw refused(url, answer.status, json);
    },
    async tryPost(path) {
      const init = { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(tryTimeoutMs) };
      return fetch(`${url}${path}`, init).then(
        ({ status }) => status,
        () => undefined,
      );
    },
  };
}

/** A gateway that listens on every address answers on loopback too. */
function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new CliError(
    'CLI_WRONG_USE',
    `--url: expected an address such as http://127.0.0.1:4000, came "${text}".`,
  );
}

function unreachable(url: string, cause: unknown): CliError {
  const why = codeOf(cause instanceof Error ? (cause.cause ?? cause) : cause);
  return new CliError(
    'CLI_GATEWAY_UNREACHABLE',
    `expected a gateway at ${url}, got no answer (${why}); start one with qm gateway, or name another with --url.`,
    { cause },
  );
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown fault';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function refused(url: string, status: number, json: unknown): CliError {
  const { message } = Object(Object(json).error);
  const code = status === 400 ? 'CLI_WRONG_USE' : 'CLI_GATEWAY_REFUSED';
  if (typeof message === 'string') return new CliError(code, message);
  return new CliError(
    'CLI_GATEWAY_REFUSED',
    `expected a gateway of this version at ${url}, got status ${status}; is something else listening there?`,
  );
}
