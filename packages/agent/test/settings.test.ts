import { AgentError } from '@quartermaster/agent';
import { createSecret, fillTemplate, loadSettings } from '@quartermaster/agent/settings';
import type { SettingsSources } from '@quartermaster/agent/settings';
import { describe, expect, test } from 'vitest';

const load = (sources: Partial<SettingsSources> = {}) => loadSettings({ env: {}, ...sources });
const file = (text: string, name = 'project.yaml') => ({ file: name, text });

function faultOf(sources: Partial<SettingsSources>): string {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'SETTINGS_INVALID') return error.message;
    throw error;
  }
  return 'none';
}

describe('C1: sources', () => {
  test('C1: explicit beats environment beats project file beats user file beats default', () => {
    const all = {
      explicit: { model: 'explicit' },
      env: { QM_MODEL: 'env' },
      projectFile: file('model: project'),
      userFile: file('model: user', 'user.yaml'),
    };
    const modelOf = (sources: Partial<SettingsSources>) => load(sources).settings.model;
    expect(modelOf(all)).toBe('explicit');
    expect(modelOf({ ...all, explicit: {} })).toBe('env');
    expect(modelOf({ ...all, explicit: {}, env: {} })).toBe('project');
    expect(modelOf({ userFile: all.userFile })).toBe('user');
    expect(modelOf({})).toBeUndefined();
    expect(load().settings.defaultUser).toBe('default');
  });

  test('C1: each value says where it came from', () => {
    const { origins } = load({ env: { OPENAI_API_KEY: 'sk-1' }, projectFile: file('# mine\n\nmodel: m') });
    expect(Object.fromEntries(origins)).toEqual({ openaiApiKey: 'OPENAI_API_KEY', model: 'project.yaml:3' });
  });

  test.each([
    ['anthropicApiKey', 'ANTHROPIC_API_KEY'],
    ['openaiApiKey', 'OPENAI_API_KEY'],
    ['googleApiKey', 'GEMINI_API_KEY'],
  ] as const)(
    'C1: %s is accepted by both of its names in every source; within one %s wins',
    (name, variable) => {
      const keyOf = (sources: Partial<SettingsSources>) => load(sources).settings[name]?.reveal();
      for (const key of [name, variable]) {
        expect(keyOf({ explicit: { [key]: 'sk-1' } })).toBe('sk-1');
        expect(keyOf({ projectFile: file(`${key}: sk-1`) })).toBe('sk-1');
      }
      expect(keyOf({ env: { [variable]: 'sk-1' } })).toBe('sk-1');
      expect(keyOf({ explicit: { [name]: 'field', [variable]: 'variable' } })).toBe('variable');
      expect(keyOf({ projectFile: file(`${variable}: variable\n${name}: field`) })).toBe('variable');
      expect(keyOf({ explicit: { [name]: 'explicit' }, env: { [variable]: 'env' } })).toBe('explicit');
    },
  );

  test('C1: a credential may be given as a secret, and as nothing else that is no text', () => {
    const secret = createSecret('sk-1');
    expect(load({ explicit: { openaiApiKey: secret } }).settings.openaiApiKey?.reveal()).toBe('sk-1');
    for (const value of [{}, { reveal: 'sk-canary' }])
      expect(faultOf({ explicit: { openaiApiKey: value } })).toContain('expected a credential');
  });

  test.each(['', '# none yet'])('C1: a file that holds %j sets nothing', (text) => {
    expect(load({ projectFile: file(text) }).origins.size).toBe(0);
  });

  test('C1: what is explicitly undefined is left out', () => {
    expect(load({ explicit: { model: undefined }, env: { QM_MODEL: 'm' } }).settings.model).toBe('m');
  });
});

describe('C2: unknown keys', () => {
  test.each([
    [{ explicit: { anthropicApiKye: 'sk-canary' } }, /looks like a credential .*anthropicApiKey/],
    [{ explicit: { ANTHROPIC_API_KYE: 'sk-canary' } }, /looks like a credential .*ANTHROPIC_API_KEY/],
    [{ explicit: { mistralToken: 'sk-canary' } }, /^"mistralToken" looks like a credential/],
    [
      { explicit: { mistralApiKey: 'sk-canary' } },
      /^"mistralApiKey" looks .* mean anthropicApiKey, openaiApiKey, googleApiKey\?$/,
    ],
    [{ explicit: { mistral_api_k: 'sk-canary' } }, /^"mistral_api_k" looks like a credential/],
    [
      { projectFile: file('model: m\nopenAiKey: sk-canary') },
      /^project\.yaml:2: "openAiKey" looks like a credential/,
    ],
    [
      { userFile: file('modell: m', 'user.yaml') },
      /^user\.yaml:1: "modell" is no setting\. Did you mean model\?/,
    ],
    [{ explicit: { temperature: 1 } }, /"temperature" is no setting\. Known are model, /],
    [{ env: { ANTHROPIC_API_KYE: 'sk-canary' } }, /ANTHROPIC_API_KYE" looks like a credential/],
    [{ env: { OPENAI_APIKEY: 'sk-canary' } }, /OPENAI_APIKEY" looks like a credential/],
    [{ projectFile: file('rules: []') }, /"rules" belongs in the policy file/],
    [{ projectFile: file('- model') }, /project\.yaml:1: expected settings/],
    [{ projectFile: file('model: [') }, /^project\.yaml:1: Flow sequence/],
    [{ projectFile: file('model: m\nmodel: canary') }, /^project\.yaml:2: Map keys must be unique$/],
    [{ projectFile: file('? [model]\n: canary') }, /^project\.yaml:1: "" is no setting/],
    [{ projectFile: file('model: {a: 1}') }, /project\.yaml:1: model: expected a text/],
  ])('C2: %j is refused by name, without its value', (sources, expected) => {
    const fault = faultOf(sources);
    expect(fault).toMatch(expected);
    expect(fault).not.toContain('canary');
  });

  test.each(['rules', 'permissions', 'allow', 'ask', 'deny', 'defaultPolicy'])(
    'C2: %s is sent to the policy file (case 105)',
    (key) => {
      expect(faultOf({ explicit: { [key]: [] } })).toBe(
        `"${key}" belongs in the policy file, not among the settings.`,
      );
    },
  );

  test.each(['hostname', 'curl'])('C2: %s is no word for a base URL', (key) => {
    expect(faultOf({ explicit: { [key]: 'x' } })).toMatch(/ is no setting\. Known are model, defaultUser, /);
  });

  test('C2: each fault has a line of its own', () => {
    expect(faultOf({ explicit: { modle: 'm', dfaultUser: 'u' } }).split('\n')).toEqual([
      '"modle" is no setting. Did you mean model?',
      '"dfaultUser" is no setting. Did you mean defaultUser?',
    ]);
  });

  test('C2: all faults are named at once, those of weaker sources too', () => {
    const fault = faultOf({
      explicit: { modle: 'm' },
      env: { QM_MODEL: 'm' },
      projectFile: file('model: ""\nbaseUrl: x'),
    });
    expect(fault).toMatch(/modle[^]*project\.yaml:2[^]*project\.yaml:1: model/);
  });

  test("C2: an environment's other credentials are its own business", () => {
    expect(faultOf({ env: { GITHUB_TOKEN: 'x', AWS_SECRET_ACCESS_KEY: 'y', PATH: 'z' } })).toBe('none');
  });
});

describe('C4: nothing falls back because it was written wrong', () => {
  test.each([
    { explicit: { baseUrl: 'http://127.0.0.1:4000' } },
    { projectFile: file('base_url: http://127.0.0.1:4000') },
    { projectFile: file('anthropicApiBase: http://127.0.0.1:4000') },
    { env: { OPENAI_API_BASE: 'http://127.0.0.1:4000' } },
    { env: { ANTHROPIC_BASEURL: 'http://127.0.0.1:4000' } },
    { explicit: { apiUrl: 'http://127.0.0.1:4000' } },
    { explicit: { url: 'http://127.0.0.1:4000' } },
    { env: { ANTHROPIC_API_BASE: 'http://127.0.0.1:4000' } },
    { env: { ANTHROPIC_API_URL: 'http://127.0.0.1:4000' } },
    { env: { ANTHROPIC_ENDPOINT: 'http://127.0.0.1:4000' } },
    { env: { OPENAI_API_URL: 'http://127.0.0.1:4000' } },
    { env: { OPENAI_ENDPOINT: 'http://127.0.0.1:4000' } },
    { env: { GEMINI_BASE_URL: 'http://127.0.0.1:4000' } },
  ])('C4: a base URL in the wrong place (%j) is refused and not passed over (case 103)', (sources) => {
    expect(faultOf(sources)).toContain('the base URLs are anthropicBaseUrl, openaiBaseUrl, googleBaseUrl.');
  });

  test.each([
    '',
    ' ',
    'example.com',
    'ftp://example.com',
    'https://',
    'xhttps://example.com',
    'https://u-canary@example.com',
    'https://:pw-canary@example.com',
    'https://u:pw-canary@example.com',
    'https://x.org/#canary',
    'https://x.org/?key=k-canary',
    7,
    null,
  ])('C4: %j is no base URL', (value) => {
    const fault = faultOf({ explicit: { openaiBaseUrl: value } });
    expect(fault).toContain('openaiBaseUrl: expected a base URL');
    expect(fault).not.toContain('canary');
  });

  test.each([
    '',
    '  ',
    'sk a-canary',
    'sk-canary\u00e9',
    'https://a.org/canary',
    'http://a.org/canary',
    7,
    null,
  ])('C4: %j is no credential (case 113)', (value) => {
    const fault = faultOf({ explicit: { anthropicApiKey: value } });
    expect(fault).toContain('anthropicApiKey: expected a credential');
    expect(fault).not.toContain('canary');
  });

  test('C4: white space around a credential is dropped, a base URL is kept as it is', () => {
    const { settings } = load({
      explicit: { anthropicApiKey: ' sk-x\n', anthropicBaseUrl: 'http://h/pre/' },
    });
    expect(settings.anthropicApiKey?.reveal()).toBe('sk-x');
    expect(settings.anthropicBaseUrl?.href).toBe('http://h/pre/');
  });

  test('C4: a variable in a file is filled in, and an unset or empty one is an error by its name (case 113)', () => {
    const projectFile = file('anthropicApiKey: ${MY_KEY}');
    expect(load({ projectFile, env: { MY_KEY: 'sk-1' } }).settings.anthropicApiKey?.reveal()).toBe('sk-1');
    for (const env of [{}, { MY_KEY: '' }, { MY_KEY: ' ' }, { MY_KEY: undefined }]) {
      expect(faultOf({ projectFile, env })).toMatch(/project\.yaml:1: .*MY_KEY/);
    }
  });
});

describe('C4: templates', () => {
  test('C4: values take the place of their names; $${ is a plain ${', () => {
    expect(fillTemplate('Hello ${NAME}, $${NAME} and $NAME.', { NAME: ' Ann ' })).toBe(
      'Hello Ann, ${NAME} and $NAME.',
    );
    expect(fillTemplate('${A}', { A: '${B} $& $1' })).toBe('${B} $& $1');
  });

  test.each(['${NOPE}', '${}', '${toString}', '${__proto__}', '${ A }'])(
    'C4: %s has no value, which is an error and never the text undefined',
    (template) => {
      expect(() => fillTemplate(template, { A: 'a' })).toThrow(
        expect.objectContaining({
          code: 'TEMPLATE_UNSET',
          message: expect.stringContaining('Expected values for'),
        }),
      );
    },
  );

  test('C4: every variable without a value is named', () => {
    expect(() => fillTemplate('${A} ${B} ${C}', { B: 'b' })).toThrow('A, C');
  });
});
