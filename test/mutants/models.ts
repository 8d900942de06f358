import type { Mutant } from './mutant.ts';

const models = 'packages/agent/src/models';
const settings = 'packages/agent/src/settings';
const modelTest = 'packages/agent/test/models.test.ts';
const settingsTest = 'packages/agent/test/settings.test.ts';
const secretTest = 'packages/agent/test/secret.test.ts';
const listerTest = 'packages/providers/test/listers.test.ts';

/** Of models and their listings. */
export const modelMutants: readonly Mutant[] = [
  {
    name: 'good models are applied beside bad ones',
    file: `${models}/model-directory.ts`,
    find: "if (refused.length > 0) throw new AgentError('MODEL_UNKNOWN', refused.join('\\n'));",
    replace: '',
    killedBy: { file: modelTest, test: 'M1: one unknown model refuses all' },
  },
  {
    name: 'the default that was read before is not validated',
    file: `${models}/model-use.ts`,
    find: `{ where: "the settings' default", model: settingsDefault },`,
    replace: '',
    killedBy: { file: modelTest, test: 'M1: every place that can name a model' },
  },
  {
    name: 'an outage makes the static list an authority',
    file: `${models}/listing.ts`,
    find: 'listing: old, isAuthoritative: false,',
    replace:
      'listing: { scope: lister.scope, atMs: 0, ids: [...provider.staticModels] }, isAuthoritative: true,',
    killedBy: { file: modelTest, test: 'M2: an outage takes nothing' },
  },
  {
    name: 'an empty listing is an authority',
    file: `${models}/listing.ts`,
    find: "if (ids.length === 0) throw new Error('it listed no model at all');",
    replace: '',
    killedBy: { file: modelTest, test: 'M2: an empty listing is no authority' },
  },
  {
    name: 'a model that the provider does not list is taken',
    file: `${models}/resolve-model.ts`,
    find: 'if (isAuthoritative) {',
    replace: 'if (false) {',
    killedBy: { file: modelTest, test: 'M3: an unknown model is named' },
  },
  {
    name: 'a successor is used in silence',
    file: `${models}/resolve-model.ts`,
    find: "return { type: 'resolved', model, warning: replaced };",
    replace: "return { type: 'resolved', model, warning: undefined };",
    killedBy: { file: modelTest, test: 'M3: a deprecated name becomes its successor' },
  },
  {
    name: 'a kept listing is believed for ever',
    file: `${models}/listing.ts`,
    find: '&& nowMs < old.atMs + terms.maxAgeMs',
    replace: '',
    killedBy: { file: modelTest, test: 'M4: a listing is kept on disk' },
  },
  {
    name: 'a listing goes on after its deadline',
    file: `${models}/listing.ts`,
    find: '    over.abort();\n',
    replace: '',
    killedBy: { file: modelTest, test: 'M4: all at once' },
  },
  {
    name: 'connections of a listing stay open',
    file: 'packages/providers/src/listing.ts',
    find: "= { connection: 'close' };",
    replace: '= {};',
    killedBy: { file: listerTest, test: 'M4: leaves no connection open' },
  },
];

/** Of settings and secrets. */
export const settingsMutants: readonly Mutant[] = [
  {
    name: 'the weakest source wins',
    file: `${settings}/load-settings.ts`,
    find: 'else if (!origins.has(name)) {',
    replace: 'else {',
    killedBy: { file: settingsTest, test: 'C1: explicit beats environment' },
  },
  {
    name: 'the name of a field beats that of its variable',
    file: `${settings}/load-settings.ts`,
    find: 'given.find(({ key }) => key === variable) ?? given.find(({ key }) => key === name)',
    replace: 'given.find(({ key }) => key === name) ?? given.find(({ key }) => key === variable)',
    killedBy: { file: settingsTest, test: 'C1: openaiApiKey is accepted by both' },
  },
  {
    name: 'unknown settings are passed over',
    file: `${settings}/load-settings.ts`,
    find: 'faults.push(...given.filter(({ key }) => findField(key) === undefined).map(explainUnknown));',
    replace: '',
    killedBy: { file: settingsTest, test: 'C2: {"explicit":{"anthropicApiKye":"sk-canary"}}' },
  },
  {
    name: 'a secret holds its text where it can be seen',
    file: `${settings}/secret.ts`,
    find: 'reveal: () => text,',
    replace: 'reveal: () => text,\n    text,',
    killedBy: { file: secretTest, test: 'C3: not in Object.values' },
  },
  {
    name: 'inspection shows a secret',
    file: `${settings}/secret.ts`,
    find: '[inspect.custom]: masked,',
    replace: '[inspect.custom]: () => text,',
    killedBy: { file: secretTest, test: 'C3: not in util.inspect' },
  },
  {
    name: 'URLs keep their credentials',
    file: `${settings}/secret.ts`,
    find: 'return maskUrls(masked);',
    replace: 'return masked;',
    killedBy: { file: secretTest, test: 'C3: URLs lose user info' },
  },
  {
    name: "errors of a vendor's SDK are passed on as they are",
    file: 'packages/providers/src/listing.ts',
    find: "redact(causesOf(error).join(': '), [apiKey])",
    replace: "causesOf(error).join(': ')",
    killedBy: { file: listerTest, test: 'C3: no error shows the key' },
  },
  {
    name: 'an unset variable is an empty text',
    file: `${settings}/template.ts`,
    find: 'if (missing.size === 0) return filled;',
    replace: 'return filled;',
    killedBy: { file: settingsTest, test: 'C4: every variable without a value' },
  },
  {
    name: 'a base URL by another name is passed over',
    file: `${settings}/advise.ts`,
    find: 'return isAddress || isNearCredential(variable) || otherAddresses.has(variable);',
    replace: 'return false;',
    killedBy: { file: settingsTest, test: 'C4: a base URL in the wrong place' },
  },
];
