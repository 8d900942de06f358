import { readFileSync } from 'node:fs';
import { agentFileJsonSchema, readAgentFile } from '@quartermaster/runtime/agent-file';
import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../src/runtime-error.ts';

const read = (text: string, env: Record<string, string> = {}) =>
  readAgentFile({ file: 'agent.yaml', text }, env);

function faultOf(text: string, env?: Record<string, string>): string {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'RUNTIME_AGENT_FILE') return error.message;
    throw error;
  }
  return 'none';
}

const small = 'agents:\n  - name: writer\n    instruction: Write.\n';

test('the smallest file is one agent with its instruction', () => {
  expect(read(small).agents).toEqual([
    {
      name: 'writer',
      instruction: 'Write.',
      fallbackModels: [],
      toolsets: [],
      subAgents: [],
      maxIterations: 50,
    },
  ]);
});

test('an agent takes a toolset of the file by its name, and one without options by its type', () => {
  const text = `${small}    toolsets: [notes, plan]\ntoolsets:\n  notes: {type: filesystem, root: notes, readOnly: true}\n`;
  expect(read(text).agents[0]?.toolsets).toEqual([
    { name: 'notes', config: { type: 'filesystem', root: 'notes', readOnly: true } },
    { name: 'plan', config: { type: 'plan' } },
  ]);
});

test.each([
  'filesystem',
  'shell',
  'fetch',
  'think',
  'plan',
  'memory',
  'knowledge',
  'code',
  'skills, folders: [a]',
])('the tools of a toolset may wait in a catalogue: %s', (type) => {
  const file = (more: string) => `${small}    toolsets: [set]\ntoolsets:\n  set: {type: ${type}${more}}\n`;
  expect(read(file(', defer: true')).agents[0]?.toolsets[0]?.config.defer).toBe(true);
  expect(read(file('')).agents[0]?.toolsets[0]?.config.defer).toBeUndefined();
  expect(faultOf(file(', defer: later'))).toContain('expected true or false');
});

test('C4: a base URL takes its variables, and a credential is a name that no value is read for', () => {
  const text = `${small}models:\n  main: {provider: openai, model: m1, baseUrl: "http://\${HOST}/v1", credential: MY_KEY}\n`;
  const model = read(text, { HOST: '127.0.0.1:9', MY_KEY: 'sk-not-to-be-seen' }).models.get('main');
  expect(model?.baseUrl?.href).toBe('http://127.0.0.1:9/v1');
  expect(model?.credential).toBe('MY_KEY');
  expect(JSON.stringify(model)).not.toContain('sk-not-to-be-seen');
});

test('P4: the rules of the file and of an agent are the project’s, with their places', () => {
  const text = `${small}    permissions: {rules: [{deny: shell.run}], unmatched: deny}\npermissions:\n  rules:\n    - allow: filesystem.read\n`;
  const { agents, rules } = read(text);
  const place = (line: number) => ({ file: 'agent.yaml', line });
  expect(rules).toMatchObject([{ answer: 'allow', source: 'project', place: place(7) }]);
  expect(agents[0]?.permissions).toMatchObject({
    unmatched: 'deny',
    rules: [{ answer: 'deny', capability: 'shell.run', target: '*', source: 'project', place: place(4) }],
  });
});

describe('RT2: MCP servers', () => {
  const withServer = (server: string) =>
    `${small}    toolsets: [files]\ntoolsets:\n  files:\n    type: mcp\n${server}`;

  test('a program is named with its arguments; the rest has defaults', () => {
    const { toolsets = [] } =
      read(withServer('    command: npx\n    args: [-y, some-server]\n')).agents[0] ?? {};
    expect(toolsets).toEqual([
      {
        name: 'files',
        config: {
          type: 'mcp',
          command: 'npx',
          args: ['-y', 'some-server'],
          startup: 'lazy',
          startupSeconds: 30,
          timeoutSeconds: 60,
          restart: 'on-failure',
          maxRestarts: 5,
          defer: false,
        },
      },
    ]);
  });

  test('C3: what variables hold is not in what was read', () => {
    const server = '    url: "https://x.example/mcp"\n    headers: {Authorization: "Bearer ${TOKEN}"}\n';
    const file = read(withServer(server), { TOKEN: 'hunter2' });
    expect(JSON.stringify(file)).toContain('Bearer ${TOKEN}');
    expect(JSON.stringify(file)).not.toContain('hunter2');
  });

  test.each([
    ['    startup: lazy\n', 'agent.yaml:7: toolsets: files: expected either command or url'],
    ['    command: a\n    url: "https://x"\n', 'expected either command or url'],
    [
      '    command: a\n    headers: {A: b}\n',
      'agent.yaml:9: toolsets: files: headers: headers is for a server with a url',
    ],
    ['    url: "https://x"\n    cwd: .\n', 'cwd is for a server with a command'],
    ['    command: a\n    env: [NOPE]\n', 'agent.yaml:9: env.0: Expected values for NOPE'],
    [
      '    url: "https://x"\n    headers:\n      A: "${NOPE}"\n',
      'agent.yaml:10: headers.A: Expected values for NOPE',
    ],
    [
      '    url: "https://x"\n    oauth: {clientSecret: NOPE}\n',
      'oauth.clientSecret: Expected values for NOPE',
    ],
    ['    comand: a\n', 'unknown key "comand". Did you mean command?'],
    ['    command: a\n    timeoutSeconds: 0\n', 'expected a number of seconds'],
  ])('%j is refused', (server, fault) => {
    expect(faultOf(withServer(server))).toContain(fault);
  });
});

describe('what can not be meant is refused, with file and line', () => {
  test.each([
    ['agents: []', 'agent.yaml:1: agents: expected at least one agent'],
    ['agents:\n  - name: a\n', 'agent.yaml:2: agents: 0: instruction: expected an instruction'],
    [`${small}    instructions: x\n`, 'agent.yaml:4: unknown key "instructions". Did you mean instruction?'],
    [
      `${small}    toolsets: [filsystem]\n`,
      'agent.yaml:4: no toolset is called "filsystem". Did you mean filesystem?',
    ],
    [`${small}toolsets:\n  t: {type: shel}\n`, 'agent.yaml:5'],
    [
      `${small}toolsets:\n  t: {type: filesystem, rot: x}\n`,
      'agent.yaml:5: unknown key "rot". Did you mean root?',
    ],
    [
      `${small}models:\n  m: {provider: anthropic, model: x, api: chat}\n`,
      'agent.yaml:5: api is for the provider openai',
    ],
    [`${small}models:\n  m: {provider: openai, model: x, baseUrl: "\${NOWHERE}"}\n`, 'agent.yaml:5'],
    [
      `${small}models:\n  m: {provider: openai, model: x, baseUrl: "ftp://x"}\n`,
      'agent.yaml:5: expected an address',
    ],
    [
      `${small}models:\n  m: {provider: openai, model: x, apiKey: sk-1}\n`,
      'agent.yaml:5: unknown key "apiKey"',
    ],
    [
      `${small}permissions:\n  rules:\n    - {allow: x, deny: x}\n`,
      'agent.yaml:6: expected exactly one of allow, ask and deny',
    ],
    [`version: 2\n${small}`, 'agent.yaml:1: version: expected version: 1'],
    ['agents: [', 'agent.yaml:1'],
  ])('%j', (text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });

  test('C3: an address that holds a password is refused without being shown', () => {
    const text = `${small}models:\n  m: {provider: openai, model: x, baseUrl: "https://u:hunter2@x"}\n`;
    expect(faultOf(text)).toContain('no password');
    expect(faultOf(text)).not.toContain('hunter2');
  });

  test('every fault is told at once', () => {
    const text = `${small}    toolsets: [a, b]\n`;
    expect(faultOf(text).split('\n')).toHaveLength(2);
  });
});

test('agent.schema.json is the schema that is in force; write it anew with qm agent --schema', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('../agent.schema.json', import.meta.url), 'utf8'),
  );
  expect(published).toEqual(agentFileJsonSchema());
});

test.each([
  ['mcp', 'agent.yaml:4: mcp needs options: write it into the section toolsets'],
  ['skills', 'agent.yaml:4: skills needs options: write it into the section toolsets'],
])('a type that needs options is no toolset by its name alone: %s', (type, fault) => {
  expect(faultOf(`${small}    toolsets: [${type}]\n`)).toContain(fault);
});
