import type { RunningGateway } from './gateway.ts';

/** The answer of the JSON API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One request to the gateway's JSON API. */
export async function callApi(
  { url }: Pick<RunningGateway, 'url'>,
  method: string,
  path: string,
  body?: object,
): Promise<ApiAnswer> {
  const response = await fetch(new URL(`/api/v1${path}`, url), {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Changes the account's settings, and throws unless that was done. */
export async function setAccount(gateway: Pick<RunningGateway, 'url'>, change: object): Promise<void> {
  const { status, body } = await callApi(gateway, 'PATCH', '/account', change);
  if (status !== 200) throw new Error(JSON.stringify(body));
}
