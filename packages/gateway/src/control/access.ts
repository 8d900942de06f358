import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

/** Whether a caller may use the admin routes: on loopback everybody, elsewhere whoever has the admin token. */
export function isAllowed(request: IncomingMessage, adminToken: string | undefined): boolean {
  return isLoopback(request.socket.localAddress) || hasToken(request, adminToken);
}

/**
 * Guards the JSON API. A browser is the one program on this machine that strangers command: so without the token the
 * `Host` must name this machine (a rebound name does not), and with or without it an `Origin` must be this server's.
 * Throws `GATEWAY_NOT_AUTHORISED` or `GATEWAY_FOREIGN_ORIGIN`.
 */
export function requireAccess(request: IncomingMessage, adminToken: string | undefined): void {
  const isTrusted = hasToken(request, adminToken);
  if (!isTrusted && !isLoopback(request.socket.localAddress)) {
    throw new GatewayError(
      'GATEWAY_NOT_AUTHORISED',
      'off loopback, this route expects the admin token (QM_ADMIN_TOKEN) as a bearer token.',
    );
  }
  const { host = '', origin } = request.headers;
  if (!isTrusted && !isLoopbackName(host)) {
    throw new GatewayError(
      'GATEWAY_FOREIGN_ORIGIN',
      'expected a Host that names this machine, such as 127.0.0.1 or localhost; other names need the admin token.',
    );
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new GatewayError(
      'GATEWAY_FOREIGN_ORIGIN',
      "expected no Origin, or this server's own; pages of other servers can't use this route.",
    );
  }
}

function hasToken({ headers }: IncomingMessage, adminToken: string | undefined): boolean {
  const [scheme, token] = (headers.authorization ?? '').split(' ');
  return adminToken !== undefined && scheme === 'Bearer' && token !== undefined && isSame(token, adminToken);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1$|127\.|::ffff:127\.)/.test(address);
}

function isLoopbackName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

/** In constant time, whatever the lengths. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
