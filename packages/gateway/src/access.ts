import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether the caller may use the admin routes: anyone on loopback, elsewhere with the admin token. */
export function isAllowed(request: IncomingMessage, adminToken: string | undefined): boolean {
  return isLoopback(request.socket.localAddress) || hasToken(request, adminToken);
}

/**
 * Whether a web page can't have sent the request, though its browser may run on this machine: a page of another origin
 * names it, and one whose name was made to point here (DNS rebinding) can't call itself loopback.
 */
export function isFromNoPage(request: IncomingMessage, adminToken: string | undefined): boolean {
  const { host, origin } = request.headers;
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) return false;
  return !isLoopback(request.socket.localAddress) || isLoopbackName(host) || hasToken(request, adminToken);
}

function hasToken(request: IncomingMessage, adminToken: string | undefined): boolean {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  return adminToken !== undefined && scheme === 'Bearer' && token !== undefined && isSame(token, adminToken);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1$|127\.|::ffff:127\.)/.test(address);
}

function isLoopbackName(host: string | undefined): boolean {
  return /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? 'localhost');
}

/** Host and port as a `Host` header names them; `undefined` for `null` and whatever else is no URL. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** In constant time, whatever the lengths. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
