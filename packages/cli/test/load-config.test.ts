import { describe, expect, test } from 'vitest';
import { formatOrigin } from '../src/config/entry.ts';
import type { FlagValue } from '../src/config/layers.ts';
import { loadConfig, type LoadedConfig } from '../src/config/load-config.ts';
import { CliError } from '../src/errors.ts';

interface Given {
  readonly env?: Record<string, string>;
  readonly user?: string;
  readonly project?: string;
  readonly flags?: readonly FlagValue[];
  readonly configFile?: string;
}

const userFile = '/home/ada/.config/quartermaster/qm.yaml';
const projectFile = '/work/app/qm.yaml';

function load({ env = {}, user, project, flags = [], configFile }: Given): LoadedConfig {
  const files = new Map([
    [userFile, user],
    [projectFile, project],
  ]);
  return loadConfig({
    env,
    cwd: '/work/app',
    home: '/home/ada',
    flags,
    readFile: (file) => files.get(file),
    ...(configFile !== undefined && { configFile }),
  });
}

/** The lines of the error that `given` is refused with. */
function refusal(given: Given): readonly string[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof CliError && error.code === 'CLI_BAD_CONFIG') return error.message.split('\n');
    throw error;
  }
  throw new Error('Expected a refusal.');
}

function originOf(loaded: LoadedConfig, path: string): string {
  return formatOrigin(loaded.origins.get(path) ?? { type: 'default' });
}

describe('layers', () => {
  test('without any source the built-in defaults hold, and the store is in the state folder of the user', () => {
    const { config, origins, warnings } = load({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      mode: 'local',
      preset: 'observe',
      store: { folder: '/home/ada/.local/state/quartermaster', durability: 'normal' },
      toolfilter: { defer: 'auto', keep: [] },
      limits: { bodyBytes: 32 * 1024 * 1024, claimMs: 50, readMs: 50 },
      retention: { days: 30 },
    });
    expect(String(config.upstreams.anthropic)).toBe('https://api.anthropic.com/');
    expect([...origins.values()]).toEqual([...origins.values()].map(() => ({ type: 'default' })));
    expect(warnings).toEqual([]);
  });

  test('a later layer wins: defaults, user file, project file, environment, flags; and each says so', () => {
    const given = {
      user: 'host: 127.0.0.2\nport: 1\npreset: "off"\nretention:\n  days: 3\n',
      project: 'port: 2\npreset: "off"\nretention:\n  days: 4\n',
      env: { QM_PRESET: 'observe', QM_RETENTION_DAYS: '5' },
      flags: [{ flag: '--preset', setting: 'preset', text: 'ultrahigh' }],
    };
    const loaded = load(given);
    expect(loaded.config).toMatchObject({
      host: '127.0.0.2',
      port: 2,
      preset: 'ultrahigh',
      retention: { days: 5 },
    });
    expect(originOf(loaded, 'host')).toBe(`${userFile}:1:7`);
    expect(originOf(loaded, 'port')).toBe(`${projectFile}:1:7`);
    expect(originOf(loaded, 'retention.days')).toBe('QM_RETENTION_DAYS');
    expect(originOf(loaded, 'preset')).toBe('--preset');
    expect(originOf(loaded, 'mode')).toBe('default');
  });

  test('the folders of XDG_CONFIG_HOME and XDG_STATE_HOME are used where they are absolute', () => {
    const env = { XDG_CONFIG_HOME: '/home/ada/.config', XDG_STATE_HOME: '/state' };
    expect(load({ env, user: 'port: 7' }).config).toMatchObject({
      port: 7,
      store: { folder: '/state/quartermaster' },
    });
    const relative = load({ env: { XDG_STATE_HOME: 'state' } });
    expect(relative.config.store.folder).toBe('/home/ada/.local/state/quartermaster');
  });

  test('a path of a file stands relative to that file, one of a flag or variable to the working folder', () => {
    const fromFile = load({ user: 'store:\n  folder: memory\ncatalog: ~/prices.json\n' }).config;
    expect(fromFile.store.folder).toBe('/home/ada/.config/quartermaster/memory');
    expect(fromFile.catalog).toBe('/home/ada/prices.json');
    expect(load({ env: { QM_STORE_FOLDER: 'memory' } }).config.store.folder).toBe('/work/app/memory');
  });

  test('sections without keys, empty files and lists in variables are read as what they mean', () => {
    expect(load({ project: 'toolfilter:\n  # keep: [a]\nstore:\n' }).config.toolfilter.keep).toEqual([]);
    expect(load({ project: '' }).config.port).toBe(4000);
    expect(load({ env: { QM_TOOLFILTER_KEEP: 'WebFetch, mcp__acme' } }).config.toolfilter.keep).toEqual([
      'WebFetch',
      'mcp__acme',
    ]);
  });

  test('a file named by --config is read in place of the project file, and has to be there', () => {
    expect(load({ configFile: userFile, user: 'port: 7', project: 'port: 8' }).config.port).toBe(7);
    expect(refusal({ configFile: 'nope.yaml' })).toEqual([
      '--config: expected a file, found none at /work/app/nope.yaml.',
    ]);
  });
});

describe('case 103: a misplaced or misspelt key is refused with its place and what was meant', () => {
  const keys =
    'Keys at the top are host, port, mode, preset, clientSignals, catalog, upstreams, store, toolfilter, limits, retention, log.';
  test.each([
    ['prot: 4001', '1:1: unknown key prot. Did you mean port?'],
    ['port: 1\n\nlimits:\n  claimMS_: 5\n', '4:3: unknown key limits.claimMS_. Did you mean limits.claimMs?'],
    [
      'anthropic: http://h',
      '1:1: unknown key anthropic. It belongs elsewhere: upstreams.anthropic (the key anthropic of the section upstreams).',
    ],
    [
      'upstreams:\n  port: 3',
      '2:3: unknown key upstreams.port. It belongs elsewhere: port (a key at the top).',
    ],
    [
      'store:\n  keep: [a]',
      '2:3: unknown key store.keep. It belongs elsewhere: toolfilter.keep (the key keep of the section toolfilter).',
    ],
    [
      'folders: x',
      '1:1: unknown key folders. Did you mean store.folder (the key folder of the section store)?',
    ],
    [
      'base_url: http://h',
      '1:1: unknown key base_url. The address of a provider belongs under upstreams: upstreams.anthropic, upstreams.openai or upstreams.gemini.',
    ],
    ['provders:\n  x: 1', `1:1: unknown key provders. ${keys}`],
  ])('%j', (project, message) => {
    expect(refusal({ project })).toEqual([`${projectFile}:${message}`]);
  });

  test('all problems of all layers are told at once, those of a file in the order of its lines', () => {
    const lines = refusal({ project: 'port: x\nhots: y\n', env: { QM_LIMITS_CLAIM_MS: 'soon' } });
    expect(lines).toEqual([
      `${projectFile}:1:7: port: expected a whole number from 0 to 65535, came "x".`,
      `${projectFile}:2:1: unknown key hots. Did you mean host?`,
      'QM_LIMITS_CLAIM_MS: expected a whole number from 1 to 60000, came "soon".',
    ]);
  });

  test('what is no YAML, no mapping, or names a key twice is refused with its place', () => {
    expect(refusal({ project: 'port: 1\nport: 2\n' })).toEqual([
      `${projectFile}:2:1: not valid YAML: Map keys must be unique`,
    ]);
    expect(refusal({ project: 'just text' })).toEqual([
      `${projectFile}:1:1: expected keys such as port: 4000, came "just text".`,
    ]);
    expect(refusal({ project: 'store: /var/qm' })).toEqual([
      `${projectFile}:1:8: expected the keys of the section store on lines of their own, came "/var/qm".`,
    ]);
    expect(refusal({ project: 'host: [1,' })[0]).toMatch(/qm\.yaml:1:10: not valid YAML: /);
  });
});

describe('case 105: a right key in the wrong place is told where it is read', () => {
  test('the admin token is never read from a file', () => {
    expect(refusal({ project: 'adminToken: canary' })).toEqual([
      `${projectFile}:1:1: unknown key adminToken. The admin token is a secret: set the environment variable QM_ADMIN_TOKEN instead of writing it into a file.`,
    ]);
  });

  test('a variable of the environment is told its key', () => {
    expect(refusal({ user: 'QM_PORT: 1' })).toEqual([
      `${userFile}:1:1: unknown key QM_PORT. QM_PORT is an environment variable; in a file the key is port.`,
    ]);
  });
});

describe('case 107: variables that map to nothing, and values that are none', () => {
  test('an unknown QM_ variable is warned of with the nearest name; those of our tools are left alone', () => {
    const env = {
      QM_PROT: '1',
      QM_LISTEN_PORT: '2',
      QM_TEST_SEED: '3',
      QM_CLIENT_CACHE: 'x',
      QM_SPEC: 'y',
      OTHER: 'z',
    };
    expect(load({ env }).warnings).toEqual([
      'QM_PROT is set, but there is no such setting; did you mean QM_PORT?',
      'QM_LISTEN_PORT is set, but there is no such setting; qm config lists what there is',
    ]);
  });

  test.each(['off', 'OFF', '0', 'false', 'False'])('SG3: QM_CLIENT_SIGNALS=%s closes the signals', (text) => {
    expect(load({ env: { QM_CLIENT_SIGNALS: text } }).config.clientSignals).toBe('off');
  });

  test('SG3: signals are open otherwise, and what is neither on nor off is refused', () => {
    expect(load({ env: {} }).config.clientSignals).toBe('on');
    for (const text of ['on', '1', 'true']) {
      expect(load({ env: { QM_CLIENT_SIGNALS: text } }).config.clientSignals).toBe('on');
    }
    expect(refusal({ env: { QM_CLIENT_SIGNALS: 'maybe' } })).toEqual([
      'QM_CLIENT_SIGNALS: expected "on" or "off", came "maybe".',
    ]);
  });

  test.each([
    [{ QM_TOOLFILTER_DEFER: 'flase' }, 'QM_TOOLFILTER_DEFER: expected "auto" or "off", came "flase".'],
    [
      { QM_LIMITS_BODY_BYTES: '10MBB' },
      'QM_LIMITS_BODY_BYTES: expected a whole number from 1024 to 1073741824, came "10MBB".',
    ],
    [{ QM_PORT: '65536' }, 'QM_PORT: expected a whole number from 0 to 65535, came 65536.'],
    [
      { QM_PORT: ' ' },
      'QM_PORT: expected a value, came an empty text. Unset the variable or give it a value.',
    ],
    [{ QM_MODE: 'hosted' }, 'QM_MODE: expected "local" (all there is so far), came "hosted".'],
    [
      { QM_PRESET: 'turbo' },
      'QM_PRESET: expected "off" or "observe" or "xhigh" or "ultrahigh", came "turbo".',
    ],
    [
      { QM_TOOLFILTER_REMOVE: 'Alpha,mcp__*' },
      'QM_TOOLFILTER_REMOVE: expected a tool\'s exact name or mcp__server, without *, came "mcp__*".',
    ],
    [
      { QM_TOOLFILTER_OWN_SEARCH: 'on' },
      'QM_TOOLFILTER_OWN_SEARCH: expected "off" (all there is so far), came "on".',
    ],
  ])('%j stops the start', (env, message) => {
    expect(refusal({ env })).toEqual([message]);
  });

  test('a value of the wrong type in a file is refused at its own place', () => {
    expect(refusal({ project: 'toolfilter:\n  keep:\n    - a\n    - 3\n  defer:\n' })).toEqual([
      `${projectFile}:3:5: toolfilter.keep: expected a tool name, mcp__server, or a prefix ending in *, came 3.`,
      `${projectFile}:5:9: toolfilter.defer: expected "auto" or "off", came nothing.`,
    ]);
    expect(refusal({ project: 'port: "4000"' })).toEqual([
      `${projectFile}:1:7: port: expected a whole number from 0 to 65535, came "4000".`,
    ]);
  });

  test('a Postgres URL is refused as a store, and its password is not shown', () => {
    const flags = [{ flag: '--store', setting: 'store.folder', text: 'postgres://u:pw-canary@h/db' }];
    expect(refusal({ flags })).toEqual([
      '--store: expected a folder for SQLite; Postgres and other databases are not supported by this version, came "postgres://…@h/db".',
    ]);
  });
});

describe('case 113: a variable without a value never becomes a text', () => {
  test('an unset or empty variable is refused, naming variable and key', () => {
    const project = 'upstreams:\n  anthropic: https://u:${NOPE}@h\n  openai: https://${EMPTY}\n';
    expect(refusal({ project, env: { EMPTY: ' ' } })).toEqual([
      `${projectFile}:2:14: upstreams.anthropic: the environment variable NOPE, which this value names, is unset. Set it, or write the value out.`,
      `${projectFile}:3:11: upstreams.openai: the environment variable EMPTY, which this value names, is empty. Set it, or write the value out.`,
    ]);
  });

  test('values are put in without their surrounding white space, as numbers where a number is due', () => {
    const user =
      'port: ${PORT}\nupstreams:\n  anthropic: "https://u:${KEY}@h"\ntoolfilter:\n  keep: ["${TOOL}"]\n';
    const loaded = load({ user, env: { PORT: '17', KEY: ' sk-x\n', TOOL: 'WebFetch' } });
    expect(loaded.config).toMatchObject({ port: 17, toolfilter: { keep: ['WebFetch'] } });
    expect(loaded.config.upstreams.anthropic.password).toBe('sk-x');
    expect(loaded.written.get('upstreams.anthropic')).toBe('https://u:${KEY}@h');
  });

  test('$${ stands for a plain ${', () => {
    expect(load({ project: 'toolfilter:\n  keep: ["$${X}"]\n' }).config.toolfilter.keep).toEqual(['${X}']);
  });

  test('a refused value is shown by the variables that it names, not by what is in them', () => {
    const lines = refusal({ project: 'mode: ${SECRET}', env: { SECRET: 'canary' } });
    expect(lines).toEqual([
      `${projectFile}:1:7: mode: expected "local" (all there is so far), came "\${SECRET}".`,
    ]);
  });

  test('the admin token is trimmed; an empty one, or one with white space inside, is refused without being shown', () => {
    const loaded = load({ env: { QM_ADMIN_TOKEN: ' secret\n' } });
    expect(loaded.config.adminToken).toBe('secret');
    expect(originOf(loaded, 'adminToken')).toBe('QM_ADMIN_TOKEN');
    expect(refusal({ env: { QM_ADMIN_TOKEN: '' } })[0]).toMatch(/^QM_ADMIN_TOKEN: expected a value/);
    expect(refusal({ env: { QM_ADMIN_TOKEN: 'can ary' } })).toEqual([
      'QM_ADMIN_TOKEN: expected a token of printable ASCII characters, came one with white space or others inside.',
    ]);
  });
});

describe('upstreams', () => {
  test('case 131: neither user info nor query values of a refused address are shown', () => {
    const project = 'upstreams:\n  openai: http://u:pw-canary@h/v1/chat/completions?key=k-canary\n';
    expect(refusal({ project })).toEqual([
      `${projectFile}:2:11: upstreams.openai: expected a base URL such as http://h, not a full endpoint, came "http://…@h/v1/chat/completions?key=…".`,
    ]);
  });

  test('a query, which would be lost, is warned of', () => {
    const env = { QM_UPSTREAMS_GEMINI: 'http://h/?key=k-canary' };
    expect(load({ env }).warnings).toEqual([
      'QM_UPSTREAMS_GEMINI: the query of upstreams.gemini is not sent; only its address and path are used',
    ]);
  });
});

describe('a file that was only found in the working folder', () => {
  const elsewhere = 'host: proxy.example\nupstreams:\n  anthropic: https://proxy.example\n';

  test('names no other machine: not for requests with their keys, nor for the admin token', () => {
    expect(refusal({ project: elsewhere })).toEqual([
      expect.stringContaining(`${projectFile}:1:7: host: expected an address of this machine`),
      expect.stringContaining(
        `${projectFile}:3:14: upstreams.anthropic: expected an address of this machine`,
      ),
    ]);
  });

  test('shows nothing of the address that it refuses (case 131)', () => {
    const project = 'upstreams:\n  anthropic: https://u:pw-canary@h?key=k-canary\n';
    expect(refusal({ project }).join()).not.toContain('canary');
  });

  test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'])('may name %s', (url) => {
    const { config } = load({ project: `host: 0.0.0.0\nupstreams:\n  anthropic: "${url}"\n` });
    expect(config.upstreams.anthropic.origin).toBe(url);
  });

  test.each(['http://127.evil.example', 'http://localhost.evil.example'])('may not name %s', (url) => {
    expect(refusal({ project: `upstreams:\n  anthropic: ${url}\n` })).toHaveLength(1);
  });

  test('may name any where the user named the file, and does no harm where a flag decides', () => {
    expect(load({ project: elsewhere, configFile: 'qm.yaml' }).config.host).toBe('proxy.example');
    const flags = [
      { flag: '--host', setting: 'host', text: '127.0.0.1' },
      { flag: '--anthropic-upstream', setting: 'upstreams.anthropic', text: 'https://mine.example' },
    ];
    expect(load({ project: elsewhere, flags }).config.upstreams.anthropic.host).toBe('mine.example');
  });

  test('is not meant where it is the user’s own', () => {
    expect(load({ user: elsewhere }).config.host).toBe('proxy.example');
  });
});
