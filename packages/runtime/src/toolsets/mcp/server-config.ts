import path from 'node:path';
import { scrubEnvironment } from '@quartermaster/agent/services';
import type { Host } from '@quartermaster/agent/services';
import { createSecret, fillTemplate } from '@quartermaster/agent/settings';
import type { Secret, Variables } from '@quartermaster/agent/settings';
import type { McpConfig } from '../../agent-file/mcp-schema.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { ServerProgram } from './child-transport.ts';
import type { LoginSettings } from './oauth/login-draft.ts';

/** Where a server is. */
export type ServerPlace =
  | { readonly type: 'program'; readonly program: ServerProgram }
  | { readonly type: 'address'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** A place and what must not be shown of it. */
export interface FilledPlace {
  readonly place: ServerPlace;
  /** What variables of its configuration held. */
  readonly secrets: readonly Secret[];
}

/** As what this program presents itself to an authorization server. Throws `AgentError` for an unset variable (C4). */
export function readLoginSettings({ oauth = {} }: McpConfig, env: Variables): LoginSettings {
  const { clientId, clientSecret, scope } = oauth;
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && {
      clientSecret: createSecret(fillTemplate(`\${${clientSecret}}`, env)),
    }),
    ...(scope !== undefined && { scope }),
  };
}

/** What templates are filled from. */
export interface PlaceSurroundings {
  readonly workspace: string;
  readonly env: Variables;
  readonly host: Host;
}

/**
 * Fills in what a configuration leaves to variables. Throws `AgentError` for one that is unset: a server never runs half
 * configured (C4, case 113), and a program gets nothing that its configuration does not name (case 139).
 */
export function fillPlace(config: McpConfig, surroundings: PlaceSurroundings): FilledPlace {
  const { env } = surroundings;
  const fill = (template: string): string => fillTemplate(template, env);
  const { command, url } = config;
  if (url !== undefined) {
    const headers = mapValues(config.headers ?? {}, fill);
    const secrets = toSecrets(Object.values(headers));
    return { place: { type: 'address', url: readAddress(config, env), headers }, secrets };
  }
  const declared = declaredVariables(config, env);
  const program: ServerProgram = {
    command: command ?? '',
    arguments: (config.args ?? []).map(fill),
    folder: path.resolve(surroundings.workspace, config.cwd ?? '.'),
    environment: { ...scrubEnvironment(surroundings.host.environment, []), ...declared },
    killGroup: (pid) => surroundings.host.killGroup(pid),
  };
  const secrets = toSecrets([...Object.values(declared), ...filledOnly(config.args ?? [], fill)]);
  return { place: { type: 'program', program }, secrets };
}

/** A text as short as `1` or `true` is no secret, and taking it out would spoil every message. */
function toSecrets(texts: readonly string[]): readonly Secret[] {
  return texts.filter((text) => text.length >= 6).map(createSecret);
}

function declaredVariables({ env: written = {} }: McpConfig, env: Variables): Record<string, string> {
  const templates = Array.isArray(written)
    ? Object.fromEntries(written.map((name) => [name, `\${${name}}`]))
    : written;
  return mapValues(templates, (template) => fillTemplate(template, env));
}

/** Of the texts those that a variable is part of. */
function filledOnly(texts: readonly string[], fill: (template: string) => string): readonly string[] {
  return texts.map(fill).filter((filled, index) => filled !== texts[index]);
}

/** Where a server is reached. Throws `RUNTIME_AGENT_FILE` where that is no address, `AgentError` for an unset variable. */
export function readAddress({ url: template = '' }: McpConfig, env: Variables): URL {
  const text = fillTemplate(template, env);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isFit = url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (isFit) return url;
  throw new RuntimeError(
    'RUNTIME_AGENT_FILE',
    'expected a url that begins with https:// or http:// and holds no user and no password.',
  );
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
