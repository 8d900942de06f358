import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, refuse } from '../api-error.ts';
import { betasOf, hasBeta } from './betas.ts';

/**
 * The workspace behind a credential, as a hash of it. Any key is taken; none at all is a 401, and so is an OAuth
 * token without its beta (§1.1).
 */
export function workspaceOf(headers: IncomingHttpHeaders): string {
  const key = headers['x-api-key'];
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  const credential = typeof key === 'string' && key !== '' ? key : bearer;
  if (credential === undefined) throw new ApiError('authentication_error', 'x-api-key header is required');
  if (credential === bearer && bearer.startsWith('sk-ant-oat') && !hasBeta(betasOf(headers), 'oauth')) {
    throw new ApiError('authentication_error', 'OAuth authentication is currently not supported.');
  }
  if (headers['anthropic-version'] === undefined) throw refuse('anthropic-version: header is required');
  return hash('sha256', credential);
}
