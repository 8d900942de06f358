/** Headers as they came: name, value, name, value, …, with their spelling, order and repetitions. */
export type RawHeaders = readonly string[];

/** RFC 9110 §7.6.1: these speak about one connection, not about the message. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The client's headers as the provider gets them: `host` is the provider's, our own and per-connection ones stay here. */
export function requestHeadersFor(host: string, raw: RawHeaders): string[] {
  return ['Host', host, ...keepHeaders(raw, (name) => !isForGatewayOnly(name))];
}

/** The provider's headers as the client gets them. */
export function responseHeadersFrom(raw: RawHeaders): string[] {
  return keepHeaders(raw, () => true);
}

/** The headers of a body that was edited: its new length, and no encoding. */
export function withPlainBody(raw: RawHeaders, contentLength: number): string[] {
  const kept = keepHeaders(raw, (name) => name !== 'content-length' && name !== 'content-encoding');
  return [...kept, 'Content-Length', String(contentLength)];
}

/** The headers of a request whose answer is to come as it is: what the gateway reads need not be packed on the way. */
export function withPlainAnswer(raw: RawHeaders): string[] {
  return [...keepHeaders(raw, (name) => name !== 'accept-encoding'), 'Accept-Encoding', 'identity'];
}

/** The provider's headers for a body that is not the one it sent: without what speaks about that one's bytes. */
export function responseHeadersForOther(raw: RawHeaders): string[] {
  return keepHeaders(raw, (name) => name !== 'content-length' && name !== 'content-encoding');
}

/** The headers with one more of the provider's betas, in the client's own list of them where there is one. */
export function withBeta(raw: RawHeaders, beta: string): string[] {
  const headers = [...raw];
  const nameAt = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'anthropic-beta');
  if (nameAt === -1) return [...headers, 'anthropic-beta', beta];
  const listed = headers[nameAt + 1] ?? '';
  const isListed = listed.split(',').some((value) => value.trim() === beta);
  if (!isListed) headers[nameAt + 1] = listed === '' ? beta : `${listed},${beta}`;
  return headers;
}

function isForGatewayOnly(name: string): boolean {
  return name === 'host' || name === 'expect' || name.startsWith('x-quartermaster-');
}

function keepHeaders(raw: RawHeaders, isKept: (name: string) => boolean): string[] {
  const named = namesInConnection(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || named.has(lower) || !isKept(lower)) continue;
    kept.push(name, raw[at + 1] ?? '');
  }
  return kept;
}

/** `Connection: x` makes the header `x` speak about this connection too. */
function namesInConnection(raw: RawHeaders): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[at + 1] ?? '').split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}
