import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { outlineMessages } from '@quartermaster/wire';
import { describe, expect, test } from 'vitest';
import { knownClients, recogniseClient, unknownClient } from '../src/clients/table.ts';
import { createProjectNames, projectOf } from '../src/conversation/project.ts';
import { createCodingAgent, heavyTool } from './support/coding-agent.ts';
import { bashOnly, deferredIn, learn, openGateway } from './support/deferring.ts';
import { openTemporaryStore } from './support/gateway.ts';
import { observedHeaders } from './support/observed-headers.ts';
import { startSimulator } from './support/simulated.ts';

const observed = Object.entries(observedHeaders);
const clientNamed = (id: string) => knownClients.find((client) => client.id === id) ?? unknownClient;

describe('a client', () => {
  test.each(observed)(
    '%s is known by the headers that it sends, and no other client by them',
    (id, { headers }) => {
      expect(recogniseClient(headers).id).toBe(id);
      expect(knownClients.filter((client) => client.isSender(headers)).map((client) => client.id)).toContain(
        id,
      );
    },
  );

  test.each(observed)('%s is not known by its User-Agent alone, or nothing hangs on it', (_, { headers }) => {
    const copied = recogniseClient({ 'user-agent': headers['user-agent'] });
    expect(['unknown', 'ai-sdk']).toContain(copied.id);
    const { sessionIn, workingDirectoryLabel, coreTools, echoesSearch } = unknownClient;
    expect(copied).toMatchObject({ sessionIn, workingDirectoryLabel, coreTools, echoesSearch });
  });

  test.each(
    observed.flatMap(([id, { headers, signs }]) => signs.map((sign) => [id, sign, headers] as const)),
  )('%s is not known without its %s', (id, sign, headers) => {
    expect(recogniseClient({ ...headers, [sign]: undefined }).id).not.toBe(id);
  });

  test('that copies the User-Agent of Claude Code is not taken for it (qwen-code does)', () => {
    const { headers } = observedHeaders['claude-code'];
    const copied: IncomingHttpHeaders = { ...headers, 'x-claude-code-session-id': undefined };
    expect(recogniseClient(copied)).toBe(unknownClient);
    expect(recogniseClient({ ...copied, 'x-claude-code-session-id': '' })).toBe(unknownClient);
  });

  test('Q2: sees search blocks only where it is known to send them back', () => {
    const echoing = knownClients.filter(({ echoesSearch }) => echoesSearch).map(({ id }) => id);
    expect(new Set(echoing)).toEqual(new Set(['claude-code', 'claude-agent-sdk', 'codex']));
    expect(unknownClient).toMatchObject({
      echoesSearch: false,
      coreTools: [],
      workingDirectoryLabel: undefined,
    });
  });

  test.each([
    ['claude-code', { 'x-claude-code-agent-id': 'a0123456789abcdef' }, 'a0123456789abcdef'],
    ['claude-code', {}, undefined],
    ['codex', { 'thread-id': 'another' }, 'another'],
    ['codex', {}, undefined],
    ['opencode', {}, undefined],
  ] as const)('%s with %j names the conversation %s', (id, more, agent) => {
    const headers = { ...observedHeaders[id].headers, ...more };
    expect(recogniseClient(headers).agentOf(headers)).toBe(agent);
  });
});

test('RU4: the core tools of a client stay loaded, though no session uses them', async () => {
  await using simulator = await startSimulator();
  await using temporary = await openTemporaryStore();
  await using gateway = await openGateway(temporary.store, simulator);
  const tools = ['Bash', 'edit', 'Calendar'].map(heavyTool);
  const headers = { ...observedHeaders.pi.headers, 'x-claude-code-session-id': '' };
  const start = () => ({ tools, headers: { ...headers, 'x-session-id': randomUUID() } });
  for (let session = 0; session < 3; session += 1) {
    await createCodingAgent({ url: gateway.url, ...start() }).turn(bashOnly);
  }
  await learn(gateway, { sessions: 0 });
  await createCodingAgent({ url: gateway.url, ...start() }).turn(bashOnly);
  expect(deferredIn(simulator.arrived.at(-1))).toEqual(['Calendar']);
});

describe('the project of a request', () => {
  const nameProject = createProjectNames('salt');
  const folder = '/home/user/a "quoted" project';

  test.each([
    [
      'claude-code',
      {
        messages: [
          user('hi'),
          { role: 'system', content: `# Env\n - Primary working directory: ${folder}\n - x` },
        ],
      },
    ],
    ['claude-code', { messages: [user(` - Primary working directory: ${folder}\n`)] }],
    ['opencode', { system: `<env>\n  Working directory: ${folder}\n  More` }],
    ['copilot-cli', { system: [text('first'), text(`x\n* Current working directory: ${folder}\n* More`)] }],
    ['pi', { system: `docs\n\n<cwd>\n${folder}\n</cwd>` }],
    ['kimi', { system: `x\n\nThe current working directory is \`${folder}\`. More` }],
    ['continue', { system: `<env>\nWorking directory: ${folder}\nMore` }],
  ] as const)('%s is the folder that it states itself', (id, body) => {
    expect(projectIn(id, body)).toBe(
      projectIn('claude-code', { messages: [user(` - Primary working directory: ${folder}`)] }),
    );
    expect(projectIn(id, body)).toMatch(/^[0-9a-f]{16} a "quoted" project$/);
  });

  test.each([
    ['opencode', `  Working directory: ${folder}`],
    ['copilot-cli', `* Current working directory: ${folder}`],
    ['pi', `<cwd>\n${folder}\n</cwd>`],
    ['qwen-code', `I'm currently working in the directory: ${folder}`],
    ['unknown', ` - Primary working directory: ${folder}`],
  ])('%s has none where only a prompt states one', (id, prompt) => {
    expect(projectIn(id, { system: 'be good', messages: [user(prompt)] })).toBe('none');
  });

  test('is what the header says where the client states no folder', () => {
    const headers = { 'x-quartermaster-project': '/home/user/other' };
    expect(projectIn('unknown', { messages: [user('hi')] }, headers)).toMatch(/^[0-9a-f]{16} other$/);
  });

  function projectIn(id: string, body: object, headers: IncomingHttpHeaders = {}): string {
    const json = JSON.stringify({ model: 'm', messages: [user('hi')], ...body });
    const read = outlineMessages(json);
    if (read.type === 'refused') throw new Error(read.reason);
    return projectOf({ client: clientNamed(id), headers, outline: read.outline, text: json }, nameProject);
  }
});

function user(content: string) {
  return { role: 'user', content: [text(content)] } as const;
}

function text(words: string) {
  return { type: 'text', text: words } as const;
}
