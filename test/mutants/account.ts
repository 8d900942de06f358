import type { Mutant } from './mutant.ts';

const removal = 'packages/gateway/src/rewrite/removal.ts';
const choose = 'packages/gateway/src/rewrite/choose.ts';
const decide = 'packages/gateway/src/decide.ts';
const messages = 'packages/gateway/src/messages.ts';
const threads = 'packages/gateway/src/threads/threads.ts';
const accounts = 'packages/gateway/src/account/accounts.ts';
const test = (name: string): string => `packages/gateway/test/${name}.test.ts`;

/** Of presets, removal and the settings of an account. */
export const accountMutants: readonly Mutant[] = [
  {
    name: 'removes a tool that the system prompt names',
    file: removal,
    find: "return standsAsWord(name, systemPrompt) ? 'named-in-system-prompt' : undefined;",
    replace: 'return undefined;',
    killedBy: { file: test('rewrite'), test: 'PR3: a tool stays where its exact name' },
  },
  {
    name: 'takes part of a word for the name',
    file: removal,
    find: "return new RegExp(`(?<!${wordCharacter})${escapeRegExp(name)}(?!${wordCharacter})`, 'u').test(text);",
    replace: 'return true;',
    killedBy: { file: test('rewrite'), test: 'PR3: a tool stays where its exact name' },
  },
  {
    name: 'takes what the user says for the system prompt',
    file: 'packages/gateway/src/conversation/system-prompt.ts',
    find: "filter(({ role }) => role === 'system')",
    replace: "filter(({ role }) => role !== 'assistant')",
    killedBy: { file: test('presets'), test: 'PR3: a tool that the client’s system message names' },
  },
  {
    name: 'looks for names in top-level system alone',
    file: 'packages/gateway/src/conversation/system-prompt.ts',
    find: 'return [system, ...fromClient.map(({ content }) => content)]',
    replace: 'return [system, ...fromClient.slice(0, 0).map(({ content }) => content)]',
    killedBy: { file: test('presets'), test: 'PR3: a tool that the client’s system message names' },
  },
  {
    name: 'removes the tool that the first request forces',
    file: removal,
    find: "if (name === forced) return 'forced';",
    replace: '',
    killedBy: { file: test('rewrite'), test: 'PR3: the tool that is forced' },
  },
  {
    name: 'removes the tool that a later request forces',
    file: choose,
    find: 'if (name === forced) continue;',
    replace: '',
    killedBy: { file: test('rewrite'), test: 'PR3: the tool that is forced' },
  },
  {
    name: 'removes a tool that the transcript refers to',
    file: choose,
    find: 'if (!referenced.has(name)) removed.add(index);',
    replace: 'if (name !== undefined) removed.add(index);',
    killedBy: { file: test('rewrite'), test: 'case 17, law 5' },
  },
  {
    name: 'removes provider-side tools',
    file: choose,
    find: 'const own = [...tools.entries()].filter(([, tool]) => isOwn(tool));',
    replace: 'const own = [...tools.entries()];',
    killedBy: { file: test('rewrite'), test: 'PR3: a provider’s own tool' },
  },
  {
    name: 'removes the last remaining tool',
    file: choose,
    find: 'removed.delete(last);',
    replace: '',
    killedBy: { file: test('rewrite'), test: 'PR3: the last remaining tool' },
  },
  {
    name: 'removes a tool that the thread used',
    file: removal,
    find: "if (usedInThread.has(name)) return 'used-in-thread';",
    replace: '',
    killedBy: { file: test('presets'), test: 'O5: without bound thinking it loses what is listed' },
  },
  {
    name: 'late tools of a removed server come through',
    file: removal,
    find: 'return (name) => listed.has(name) || listed.has(unitOf(name));',
    replace: 'return (name) => listed.has(name);',
    killedBy: { file: test('presets'), test: 'PR4: a tool of a removed server that comes late' },
  },
  {
    name: 'mark of a removed tool lost',
    file: 'packages/gateway/src/rewrite/anthropic.ts',
    find: 'const placed = placeMarks(placedTools(tools, [removed]), { hasSearchEntry: false });\n  const moves =',
    replace: 'const placed = placeMarks(placedTools(tools, []), { hasSearchEntry: false });\n  const moves =',
    killedBy: { file: test('rewrite'), test: 'law 6' },
  },
  {
    name: 'removal in every preset',
    file: 'packages/gateway/src/account/settings.ts',
    find: 'return isEditing(preset) ? toolfilter.remove : [];',
    replace: 'return preset === undefined ? [] : toolfilter.remove;',
    killedBy: { file: test('presets'), test: 'PR1: observe removes' },
  },
  {
    name: 'removal without a durable store',
    file: decide,
    find: "if (!hasStore) return 'no-store';",
    replace: '',
    killedBy: { file: test('presets'), test: 'O1: nothing is removed in' },
  },
  {
    name: 'removal under way before its record',
    file: 'packages/gateway/src/ask-thread.ts',
    find: "if (isEditing(settings.preset) && isRecorded) return 'claim';",
    replace: '',
    killedBy: { file: test('presets'), test: 'law 4' },
  },
  {
    name: 'removal from an older conversation',
    file: decide,
    find: "return mayBeOlder || hasBoundThinking(conversation) ? 'older-conversation' : undefined;",
    replace: 'return undefined;',
    killedBy: { file: test('presets'), test: 'O5: a conversation with bound thinking' },
  },
  {
    name: 'a new list flips an unrecognised client',
    file: decide,
    find: 'const mayBeOlder = !client.echoesSearch && transcript.hasAssistantTurns;',
    replace: 'const mayBeOlder = false;',
    killedBy: { file: test('presets'), test: 'O7: a running conversation of an unrecognised client' },
  },
  {
    name: 'off forgets live threads',
    file: messages,
    find: "accounts.settingsOf(tenant).preset !== 'off' || presence.mayHaveRecords(tenant),",
    replace: "accounts.settingsOf(tenant).preset !== 'off',",
    killedBy: { file: test('presets'), test: 'O7: a deferred thread keeps its prefix' },
  },
  {
    name: 'off reads every request',
    file: messages,
    find: "accounts.settingsOf(tenant).preset !== 'off' || presence.mayHaveRecords(tenant),",
    replace: 'tenant !== undefined,',
    killedBy: { file: test('presets'), test: 'O7: in off nothing is read' },
  },
  {
    name: 'off keeps history',
    file: messages,
    find: "if (settings.preset !== 'off') recordTools(conversation);",
    replace: 'recordTools(conversation);',
    killedBy: { file: test('presets'), test: 'O7: in off nothing is read' },
  },
  {
    name: '--now ends bound threads too',
    file: threads,
    find: 'return hasBoundThinking ? 0 : endedAtMs;',
    replace: 'return endedAtMs;',
    killedBy: { file: test('presets'), test: 'O7: spares threads with bound thinking' },
  },
  {
    name: '--now is forgotten by a restart',
    file: threads,
    find: 'if (record !== undefined && !isEnded(record, question)) {',
    replace: 'if (record !== undefined) {',
    killedBy: { file: test('presets'), test: 'O7: ends the decisions of live threads' },
  },
  {
    name: 'an end that is learnt of late ends nothing',
    file: threads,
    find: 'Object.assign(state, { attempt, decidedAtMs });',
    replace: 'Object.assign(state, { attempt });',
    killedBy: { file: test('threads'), test: 'O7: an end that is learnt of late' },
  },
  {
    name: 'a clock that jumped back ends every decision',
    file: threads,
    find: 'return Math.max(nowMs, endOf(question));',
    replace: 'return nowMs + 0 * endOf(question);',
    killedBy: { file: test('threads'), test: 'O7, FA4: a clock that jumped back' },
  },
  {
    name: 'a named preset is stored for good',
    file: accounts,
    find: 'return named === undefined ? settings : { ...settings, preset: named };',
    replace: 'return settings;',
    killedBy: { file: test('account'), test: 'PR1: a preset named at the start' },
  },
  {
    name: 'a setting counts before it is stored',
    file: accounts,
    find: 'if (store === undefined || (await store.replace(record, state.text))) {',
    replace:
      'state.overrides = overrides; if (store === undefined || (await store.replace(record, state.text))) {',
    killedBy: { file: test('account'), test: 'a change that the store does not take' },
  },
  {
    name: 'any host may ask',
    file: 'packages/gateway/src/control/access.ts',
    find: 'if (!isTrusted && !isLoopbackName(host)) {',
    replace: 'if (!isTrusted && host === undefined) {',
    killedBy: { file: test('account'), test: 'a page of a stranger' },
  },
  {
    name: 'a file that was only found names another machine',
    file: 'packages/cli/src/config/found-file.ts',
    find: "return address.type === 'base' && !isLoopback(address.url.hostname);",
    replace: 'return false;',
    killedBy: { file: 'packages/cli/test/load-config.test.ts', test: 'names no other machine' },
  },
  {
    name: 'a name that begins like an address of this machine is one',
    file: 'packages/cli/src/loopback.ts',
    find: '::1|\\[::1\\])$/',
    replace: '::1|\\[::1\\])/',
    killedBy: { file: 'packages/cli/test/load-config.test.ts', test: 'may not name http://localhost.evil' },
  },
];
