import { readRules } from '@quartermaster/agent/permissions';
import type { PermissionRule } from '@quartermaster/agent/permissions';
import { fillTemplate, nearestNames, readStrictYaml } from '@quartermaster/agent/settings';
import type { Variables, YamlFile, YamlPath } from '@quartermaster/agent/settings';
import { RuntimeError } from '../runtime-error.ts';
import type { AgentFile, FileAgent, FileModel, NamedToolset } from './agent-file.ts';
import { checkTemplates } from './check-templates.ts';
import { type AgentFileContent, agentFileSchema } from './schema.ts';
import { plainToolsets, toolsetSchema, typesWithOptions } from './toolset-schema.ts';

/** What is being read, and what was found wrong with it so far. */
interface Reading {
  readonly content: AgentFileContent;
  readonly env: Variables;
  readonly fault: (path: YamlPath, message: string) => void;
  readonly rulesAt: (path: YamlPath, rules: Rules) => readonly PermissionRule[];
}

type Rules = NonNullable<AgentFileContent['permissions']>['rules'];

/**
 * Reads a file of agents, with `${NAME}` in base URLs and MCP toolsets for variables of `env`. Throws `RUNTIME_AGENT_FILE` that names
 * every fault by file and line: an unknown key or toolset, a variable that is unset, a rule that is none.
 */
export function readAgentFile(file: YamlFile, env: Variables): AgentFile {
  const yaml = readStrictYaml(agentFileSchema, file);
  if (yaml.type === 'refused') throw invalid(yaml.faults);
  const faults: string[] = [];
  const reading: Reading = {
    content: yaml.value,
    env,
    fault: (path, message) => faults.push(`${file.file}:${yaml.lineOf(path)}: ${message}`),
    rulesAt(path, rules) {
      const placeOf = (index: number) => ({ file: file.file, line: yaml.lineOf([...path, index]) });
      const read = readRules(rules, { source: 'project', placeOf });
      faults.push(...read.faults);
      return read.rules;
    },
  };
  const { agents, models, permissions } = yaml.value;
  const agentFile = {
    agents: agents.map((agent, index) => readAgent(reading, agent, ['agents', index])),
    models: new Map(Object.entries(models).map(([name, model]) => [name, readModel(reading, name, model)])),
    rules: reading.rulesAt(['permissions', 'rules'], permissions?.rules ?? []),
  };
  for (const [name, config] of Object.entries(yaml.value.toolsets)) checkToolset(reading, name, config);
  if (faults.length > 0) throw invalid(faults);
  return agentFile;
}

function readAgent(
  reading: Reading,
  { description, model, permissions, structuredOutput, ...agent }: AgentFileContent['agents'][number],
  path: YamlPath,
): FileAgent {
  return {
    ...agent,
    toolsets: agent.toolsets.flatMap((name, index) =>
      readToolset(reading, name, [...path, 'toolsets', index]),
    ),
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(permissions !== undefined && {
      permissions: {
        rules: reading.rulesAt([...path, 'permissions', 'rules'], permissions.rules),
        unmatched: permissions.unmatched,
      },
    }),
  };
}

function checkToolset({ env, fault }: Reading, name: string, config: NamedToolset['config']): void {
  if (config.type !== 'mcp') return;
  checkTemplates(config, { env, fault: (path, message) => fault(['toolsets', name, ...path], message) });
}

/** A name of the file's own hides a type of the same name. */
function readToolset({ content, fault }: Reading, name: string, path: YamlPath): readonly NamedToolset[] {
  const named = Object.hasOwn(content.toolsets, name) ? content.toolsets[name] : undefined;
  if (named !== undefined) return [{ name, config: named }];
  const plain = toolsetSchema.safeParse({ type: name });
  if (plain.success) return [{ name, config: plain.data }];
  if (typesWithOptions.includes(name)) {
    fault(
      path,
      `${name} needs options: write it into the section toolsets by a name of your own, and put that name here.`,
    );
    return [];
  }
  const known = [...Object.keys(content.toolsets), ...plainToolsets];
  const [nearest] = nearestNames(name, known);
  const advice = nearest === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  fault(path, `no toolset is called "${name}". ${advice}`);
  return [];
}

function readModel(
  reading: Reading,
  name: string,
  { baseUrl, credential, ...model }: AgentFileContent['models'][string],
): FileModel {
  const path = ['models', name];
  if (model.api !== undefined && model.provider !== 'openai') {
    reading.fault([...path, 'api'], `api is for the provider openai alone; ${name} is of ${model.provider}.`);
  }
  const url = baseUrl === undefined ? undefined : readUrl(reading, baseUrl, [...path, 'baseUrl']);
  return {
    ...model,
    ...(url !== undefined && { baseUrl: url }),
    ...(credential !== undefined && { credential }),
  };
}

function readUrl({ env, fault }: Reading, written: string, path: YamlPath): URL | undefined {
  try {
    const url = new URL(fillTemplate(written, env));
    if (
      (url.protocol === 'http:' || url.protocol === 'https:') &&
      url.username === '' &&
      url.password === ''
    ) {
      return url;
    }
    fault(
      path,
      'expected an address that begins with https:// or http:// and holds no user and no password.',
    );
  } catch (error) {
    fault(path, error instanceof TypeError ? 'expected a base URL.' : `baseUrl: ${String(error)}`);
  }
  return undefined;
}

function invalid(faults: readonly string[]): RuntimeError {
  return new RuntimeError('RUNTIME_AGENT_FILE', faults.join('\n'));
}
