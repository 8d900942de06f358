import { fillTemplate } from '@quartermaster/agent/settings';
import type { Variables, YamlPath } from '@quartermaster/agent/settings';
import type { McpConfig } from './mcp-schema.ts';

/** Tells each text of a server's configuration whose variables are not all set, and keeps no value (C3, C4, case 113). */
export function checkTemplates(
  config: McpConfig,
  { env, fault }: { readonly env: Variables; readonly fault: (path: YamlPath, message: string) => void },
): void {
  for (const { path, template } of templatesOf(config)) {
    try {
      fillTemplate(template, env);
    } catch (error) {
      fault(path, `${path.join('.')}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

interface Template {
  readonly path: YamlPath;
  readonly template: string;
}

function templatesOf({ url, args = [], env = {}, headers = {}, oauth }: McpConfig): readonly Template[] {
  const secret = oauth?.clientSecret;
  return [
    ...(url === undefined ? [] : [{ path: ['url'], template: url }]),
    ...args.map((template, index) => ({ path: ['args', index], template })),
    ...(Array.isArray(env) ? namesOf(env) : textsOf('env', env)),
    ...textsOf('headers', headers),
    ...(secret === undefined ? [] : [{ path: ['oauth', 'clientSecret'], template: `\${${secret}}` }]),
  ];
}

function namesOf(names: readonly string[]): readonly Template[] {
  return names.map((name, index) => ({ path: ['env', index], template: `\${${name}}` }));
}

function textsOf(key: string, texts: Readonly<Record<string, string>>): readonly Template[] {
  return Object.entries(texts).map(([name, template]) => ({ path: [key, name], template }));
}
