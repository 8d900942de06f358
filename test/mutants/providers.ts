import type { Mutant } from './mutant.ts';

const source = 'packages/providers/src';
const bodies = 'packages/providers/test/bodies.property.test.ts';
const calls = 'packages/providers/test/calls.test.ts';
const conversations = 'packages/providers/test/conversations.test.ts';
const fallbacks = 'packages/providers/test/fallback.test.ts';
const anthropic = 'packages/providers/test/anthropic.test.ts';
const openai = 'packages/providers/test/openai.test.ts';
const google = 'packages/providers/test/google.test.ts';
const creation = 'packages/providers/test/create-language-model.test.ts';

/** Of calls to models. */
export const providerMutants: readonly Mutant[] = [
  {
    name: "another provider's prompts go to the vendor",
    file: `${source}/base-url.ts`,
    find: 'if (provider === vendor.provider) return vendor.url;',
    replace: 'return vendor.url;',
    killedBy: { file: creation, test: 'C4: without a base URL another provider' },
  },
  {
    name: 'blank texts are sent',
    file: `${source}/user-texts.ts`,
    find: "text.trim() !== ''",
    replace: 'true',
    killedBy: { file: anthropic, test: 'RP1: blank texts are left out' },
  },
  {
    name: 'halves of characters are sent',
    file: `${source}/well-formed.ts`,
    find: 'return value.toWellFormed();',
    replace: 'return value;',
    killedBy: { file: bodies, test: 'RP1: no half of a character' },
  },
  {
    name: 'the prices of a cache read are those of fresh input',
    file: `${source}/token-usage.ts`,
    find: 'cacheReadTokens: cacheReadTokens ?? 0,',
    replace: 'cacheReadTokens: 0,',
    killedBy: { file: conversations, test: 'RP2: what the answers cost' },
  },
  {
    name: "Gemini's cached input is counted twice",
    file: `${source}/google/usage.ts`,
    find: '- (cached ?? 0)',
    replace: '',
    killedBy: { file: google, test: 'RP2: what was read from the cache' },
  },
  {
    name: 'the end of the request before has no cache mark',
    file: `${source}/anthropic/cache-marks.ts`,
    find: 'new Set([lastOfUser(messages.length), lastOfUser(answer)])',
    replace: 'new Set([lastOfUser(messages.length)])',
    killedBy: { file: anthropic, test: 'RP2: a turn of more blocks' },
  },
  {
    name: 'an overflow is a bad request',
    file: `${source}/anthropic/read-refusal.ts`,
    find: "code === 'PROVIDER_BAD_REQUEST' && overflow.test(said)",
    replace: 'false',
    killedBy: { file: calls, test: 'RP2: 400 is PROVIDER_CONTEXT_OVERFLOW' },
  },
  {
    name: 'an answer that the window cut before it was shown is an answer',
    file: `${source}/anthropic/read-answer.ts`,
    find: "stopReason === 'context-overflow' && !content.some(isShown)",
    replace: 'false',
    killedBy: { file: anthropic, test: 'RP2: an answer that the window cut' },
  },
  {
    name: 'a paused turn is the end of an answer',
    file: `${source}/anthropic/read-answer.ts`,
    find: "answer.stop === 'pause_turn' && pauses < maxPauses",
    replace: 'pauses > maxPauses',
    killedBy: { file: anthropic, test: 'RP2: a turn that the server pauses' },
  },
  {
    name: 'the end of a stream is the end of an answer',
    file: `${source}/anthropic/read-stream.ts`,
    find: "throw new AnswerError('PROVIDER_STREAM_BROKEN', 'the stream ended before message_stop');",
    replace: "return { content: toContent(blocks, stop), stop: 'end_turn', usage };",
    killedBy: { file: calls, test: 'R1: once an event was given the end of the stream' },
  },
  {
    name: 'silence is told as something else',
    file: `${source}/watch-silence.ts`,
    find: 'isSilent = true;',
    replace: 'isSilent = false;',
    killedBy: { file: calls, test: 'RP2: silence fails the call' },
  },
  {
    name: 'a call is tried again after something of it was shown',
    file: `${source}/vendor-model.ts`,
    find: 'failed.wasShown ||',
    replace: '',
    killedBy: { file: calls, test: 'R1: once an event was given an error in the stream' },
  },
  {
    name: 'what can not get better is tried again',
    file: `${source}/vendor-model.ts`,
    find: '!failed.refusal.isWorthRetrying ||',
    replace: '',
    killedBy: { file: calls, test: 'RP2: 401 is PROVIDER_NOT_AUTHORISED' },
  },
  {
    name: 'a pause of any length is waited for',
    file: `${source}/vendor-model.ts`,
    find: '|| delayMs > terms.maxRetryDelayMs',
    replace: '',
    killedBy: { file: calls, test: 'R1: a longer pause than is allowed' },
  },
  {
    name: "the vendor's last word on another try is not heard",
    file: `${source}/http-failure.ts`,
    find: "word === 'true' || (word !== 'false' && isPassing(code))",
    replace: 'isPassing(code)',
    killedBy: { file: calls, test: 'R1: 500 with x-should-retry' },
  },
  {
    name: 'errors repeat what a vendor quotes of the prompt',
    file: `${source}/describe-failure.ts`,
    find: 'maskQuotes(redact(refusal.said, [apiKey]), request, { maxLength: maxSaid })',
    replace: 'redact(refusal.said, [apiKey])',
    killedBy: { file: calls, test: 'C3: no error shows the key' },
  },
  {
    name: 'errors repeat the key',
    file: `${source}/describe-failure.ts`,
    find: 'redact(refusal.said, [apiKey])',
    replace: 'refusal.said',
    killedBy: { file: calls, test: 'C3: no error shows the key' },
  },
  {
    name: "what one vendor gave goes to another's API",
    file: `${source}/provider-data.ts`,
    find: 'providerData?.api === api && ',
    replace: 'providerData !== undefined && ',
    killedBy: { file: bodies, test: 'RP3: nothing that another vendor gave' },
  },
  {
    name: 'thoughts go to another model',
    file: `${source}/provider-data.ts`,
    find: ' && model.id === id',
    replace: '',
    killedBy: { file: fallbacks, test: 'RP3: thoughts of one model of a vendor' },
  },
  {
    name: 'the text of arguments is printed again',
    file: `${source}/openai/arguments.ts`,
    find: "textOf(data?.['arguments']) ?? printArguments(input)",
    replace: 'printArguments(input)',
    killedBy: { file: openai, test: 'RP3: thoughts, ids, phases and the very text' },
  },
  {
    name: 'signatures of Gemini are forgotten',
    file: `${source}/google/read-stream.ts`,
    find: '{ ...(id !== undefined && { id }), ...rest }',
    replace: '{ ...(id !== undefined && { id }) }',
    killedBy: { file: conversations, test: 'RP3: each request begins with the one before it' },
  },
  {
    name: 'another model goes on with what one began to say',
    file: `${source}/fallback-model.ts`,
    find: 'if (wasShown || ',
    replace: 'if (',
    killedBy: { file: fallbacks, test: 'R1: none after something was shown' },
  },
  {
    name: 'a fallback hides a fault of the operator',
    file: `${source}/fallback-model.ts`,
    find: "return providerErrors[code].retryable || code === 'PROVIDER_QUOTA_SPENT';",
    replace: 'return code !== undefined;',
    killedBy: { file: fallbacks, test: 'RP3: after PROVIDER_BAD_REQUEST another model' },
  },
  {
    name: 'a model that failed is asked first at once',
    file: `${source}/fallback-model.ts`,
    find: 'clock.now() < (restUntil.get(model) ?? 0)',
    replace: 'restUntil.size < 0',
    killedBy: { file: fallbacks, test: 'RP3: a model that failed rests' },
  },
  {
    name: 'a vague type of error is believed before the status',
    file: `${source}/anthropic/read-refusal.ts`,
    find: 'byType === undefined || (vague.has(type) && status !== undefined)',
    replace: 'byType === undefined',
    killedBy: { file: calls, test: 'RP2: 402 is PROVIDER_QUOTA_SPENT' },
  },
  {
    name: 'every model of OpenAI is asked for the efforts that its name suggests',
    file: `${source}/openai/reasoning-models.ts`,
    find: 'if (known !== undefined) {',
    replace: 'if (known === null) {',
    killedBy: { file: conversations, test: 'RP1: every model that there is takes every wish for thought' },
  },
  {
    name: 'Claude ids with a dot are of the generation before',
    file: `${source}/anthropic/generation.ts`,
    find: '(?:[-.](\\d)(?!\\d))?',
    replace: '(?:-(\\d)(?!\\d))?',
    killedBy: { file: anthropic, test: 'RP1: anthropic/claude-opus-4.8 with reasoning low' },
  },
  {
    name: 'the SDK of Google chooses the version of the API',
    file: `${source}/google/model.ts`,
    find: '          apiVersion: geminiApiVersion,\n',
    replace: '',
    killedBy: { file: creation, test: 'C4: nothing in the environment' },
  },
  {
    name: 'what is served on other terms costs the list price',
    file: `${source}/token-usage.ts`,
    find: 'priceRequest(model, counts, usage.terms)',
    replace: 'priceRequest(model, counts)',
    killedBy: { file: conversations, test: 'RP2: what openai-chat serves on other terms' },
  },
  {
    name: 'calls without an index are one',
    file: `${source}/openai/read-chat-stream.ts`,
    find: 'told ?? placeOf(calls, id)',
    replace: 'told ?? 0',
    killedBy: { file: openai, test: 'RP1: calls without an index' },
  },
];
