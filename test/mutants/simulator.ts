import type { Mutant } from './mutant.ts';

const source = 'packages/simulator/src';
const tests = 'packages/simulator/test';
const everyApi = `${tests}/every-api.test.ts`;
const responsesChecks = `${tests}/responses-validation.test.ts`;
const chatChecks = `${tests}/chat-validation.test.ts`;
const geminiChecks = `${tests}/gemini-validation.test.ts`;
const search = `${tests}/responses-search.test.ts`;
const cache = `${tests}/prefix-cache.test.ts`;

/** Of the simulated OpenAI and Gemini. */
export const simulatorMutants: readonly Mutant[] = [
  {
    name: "the prompt's script is asked before the test's own",
    file: `${source}/decision.ts`,
    find: 'findOwnStep(state, conversation) ?? findStep(conversation.turns)',
    replace: 'findStep(conversation.turns) ?? findOwnStep(state, conversation)',
    killedBy: { file: everyApi, test: "the test's own script decides" },
  },
  {
    name: 'a small window is not looked at',
    file: `${source}/state.ts`,
    find: 'options.contextTokens?.[modelId] ?? byDefault',
    replace: 'byDefault',
    killedBy: { file: everyApi, test: 'a small window makes' },
  },
  {
    name: 'a call may stay without its output',
    file: `${source}/openai/responses/pairing.ts`,
    find: 'if (unanswered !== undefined) {',
    replace: 'if (false) {',
    killedBy: { file: responsesChecks, test: 'rule 1: a call without its output' },
  },
  {
    name: 'an output may stand before its call',
    file: `${source}/openai/responses/pairing.ts`,
    find: 'if (!open.delete(callId) && !answered.has(callId)) {',
    replace: 'if (false) {',
    killedBy: { file: responsesChecks, test: 'rule 1: an output before its call' },
  },
  {
    name: 'a thought may come back without what came of it',
    file: `${source}/openai/responses/pairing.ts`,
    find: 'if (!isOfModel(items[index + 1])) {',
    replace: 'if (false) {',
    killedBy: { file: responsesChecks, test: 'a thought needs what came of it' },
  },
  {
    name: 'unknown members of a Responses body pass',
    file: `${source}/openai/responses/body.ts`,
    find: "refuseUnknown(body, '', bodyKeys);",
    replace: '',
    killedBy: { file: responsesChecks, test: 'an unknown member is refused' },
  },
  {
    name: 'a deferred tool needs no search tool',
    file: `${source}/openai/responses/tools.ts`,
    find: "if (!tools.some((tool) => tool.isDeferred) || tools.some((tool) => tool.kind === 'search')) return;",
    replace: 'if (tools.length >= 0) return;',
    killedBy: { file: search, test: 'a deferred tool needs a search tool' },
  },
  {
    name: 'a search that the client answered is asked again',
    file: `${source}/openai/responses/tool-search.ts`,
    find: 'if (hasJustAsked(request, callArguments)) return nothing;',
    replace: '',
    killedBy: { file: search, test: 'a search that found nothing is not repeated' },
  },
  {
    name: 'a pair of tool search counts as a turn',
    file: `${source}/openai/responses/responses-api.ts`,
    find: "type.startsWith('tool_search') || ",
    replace: '',
    killedBy: { file: search, test: 'a pair that the model never emitted' },
  },
  {
    name: 'additional_tools load nothing',
    file: `${source}/openai/responses/callable-tools.ts`,
    find: "if (type === 'additional_tools') toolsIn(json).forEach((tool) => add(tool, false));",
    replace: '',
    killedBy: { file: search, test: 'they can be called from there on' },
  },
  {
    name: 'a deferred function shows its schema',
    file: `${source}/openai/responses/render.ts`,
    find: "if (tool['defer_loading'] !== true) return renderDefinition(tool);",
    replace: 'if (tool !== undefined) return renderDefinition(tool);',
    killedBy: { file: search, test: 'of a deferred function name and description' },
  },
  {
    name: 'the effort does not change the prompt',
    file: `${source}/openai/responses/render.ts`,
    find: "    reasoning['effort'] ?? null,\n",
    replace: '',
    killedBy: { file: search, test: 'reasoning.effort changes it' },
  },
  {
    name: 'the cache before gpt-5.6 reads token by token',
    file: `${source}/openai/cache.ts`,
    find: 'shared - (shared % cacheStep)',
    replace: 'shared',
    killedBy: { file: cache, test: 'rule 3: a model before gpt-5.6' },
  },
  {
    name: 'any prefix is read, not those that were written alone',
    file: `${source}/openai/cache.ts`,
    find: 'prefixes.write(scope, [at], clock.now() + lifeMs[life])',
    replace: 'prefixes.write(scope, prompt.positions, clock.now() + lifeMs[life])',
    killedBy: { file: cache, test: 'rule 3: what no breakpoint wrote' },
  },
  {
    name: 'every breakpoint of the client is written',
    file: `${source}/openai/cache.ts`,
    find: 'own.slice(1 - maxWrites)',
    replace: 'own',
    killedBy: { file: cache, test: 'rule 3: the latest three' },
  },
  {
    name: 'one organisation reads what another wrote',
    file: `${source}/openai/cache.ts`,
    find: 'const scope = `${organisation}:${',
    replace: 'const scope = `${',
    killedBy: { file: cache, test: 'rule 4: another organisation' },
  },
  {
    name: 'a Chat call may stay without its result',
    file: `${source}/openai/chat/messages.ts`,
    find: 'if (open.size === 0) return;',
    replace: 'if (open.size >= 0) return;',
    killedBy: { file: chatChecks, test: 'messages: a call without its result' },
  },
  {
    name: 'Chat usage comes unasked',
    file: `${source}/openai/chat/chat-stream.ts`,
    find: "options['include_usage'] === true",
    replace: 'true',
    killedBy: { file: `${tests}/chat.test.ts`, test: 'id and name stand in the first delta' },
  },
  {
    name: 'a Gemini call may come back without its signature',
    file: `${source}/gemini/contents.ts`,
    find: '!model.signsCalls || index < asked',
    replace: 'true || index < asked',
    killedBy: { file: geminiChecks, test: 'a model that signs its calls' },
  },
  {
    name: 'Gemini takes fewer results than calls',
    file: `${source}/gemini/contents.ts`,
    find: "countParts(contents[index + 1], 'functionResponse') !== calls",
    replace: 'false',
    killedBy: { file: geminiChecks, test: 'turns: fewer results than calls' },
  },
  {
    name: 'Gemini reads fields that it does not have',
    file: `${source}/gemini/fields.ts`,
    find: 'if (!allowed.includes(field)) throw unknownField(key, path);',
    replace: '',
    killedBy: { file: geminiChecks, test: 'an unknown field is refused' },
  },
  {
    name: 'a streamed Gemini text keeps no signature',
    file: `${source}/gemini/gemini-stream.ts`,
    find: '...(signature === undefined ? {} : { thoughtSignature: signature })',
    replace: '',
    killedBy: { file: `${tests}/streamed-alike.test.ts`, test: 'Gemini' },
  },
];
