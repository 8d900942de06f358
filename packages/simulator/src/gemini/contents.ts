import { isObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { unseal } from '../seal.ts';
import { readFields, readRepeated, refuseGemini } from './fields.ts';
import type { GeminiModel } from './models.ts';
import type { Content } from './request.ts';

const partKeys = [
  'codeExecutionResult',
  'executableCode',
  'fileData',
  'functionCall',
  'functionResponse',
  'inlineData',
  'mediaResolution',
  'partMetadata',
  'text',
  'thought',
  'thoughtSignature',
  'toolCall',
  'toolResponse',
  'videoMetadata',
];
const dataKeys = partKeys.filter(
  (key) => !['mediaResolution', 'partMetadata', 'thought', 'thoughtSignature', 'videoMetadata'].includes(key),
);
const callKeys = ['args', 'id', 'name', 'partialArgs', 'willContinue'];
const responseKeys = ['id', 'name', 'parts', 'response', 'scheduling', 'willContinue'];
/** What clients send where they have lost a signature; the API takes them. */
const blankSignatures = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/** The contents of a request, each one's shape checked. */
export function readContents(value: unknown, path: string): readonly Content[] {
  const contents = readRepeated(value, path).map(({ item, at }) => readContent(item, at));
  if (contents.length > 0) return contents;
  throw refuseGemini('* GenerateContentRequest.contents: contents is not specified\n');
}

export function readContent(value: unknown, path: string): Content {
  const { role, parts } = readFields(value, path, ['parts', 'role']);
  const list = readRepeated(parts, `${path}.parts`);
  if (list.length === 0) {
    throw refuseGemini(`* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`);
  }
  return { role: readRole(role), parts: list.map(({ item, at }) => readPart(item, at)) };
}

/** No role is the user's; `function` is the older word for who brings results. */
function readRole(role: unknown): Content['role'] {
  if (role === undefined || role === '' || role === 'user' || role === 'function') return 'user';
  if (role === 'model') return 'model';
  throw refuseGemini('Please use a valid role: user, model.');
}

function readPart(value: unknown, path: string): JsonObject {
  const part = readFields(value, path, partKeys);
  if (!dataKeys.some((key) => part[key] !== undefined)) {
    throw refuseGemini(
      `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`,
    );
  }
  const { functionCall, functionResponse } = part;
  const named =
    functionCall === undefined
      ? readNamed(functionResponse, `${path}.function_response`, responseKeys)
      : readNamed(functionCall, `${path}.function_call`, callKeys);
  if (named === undefined) return part;
  return functionCall === undefined ? { ...part, functionResponse: named } : { ...part, functionCall: named };
}

function readNamed(value: unknown, path: string, keys: readonly string[]): JsonObject | undefined {
  if (value === undefined) return undefined;
  const fields = readFields(value, path, keys);
  if (typeof fields['name'] === 'string' && fields['name'] !== '') return fields;
  throw refuseGemini(`* GenerateContentRequest.${path}.name: Name cannot be empty.\n`);
}

/** A turn of calls follows a user's, and is followed by as many results in one turn. */
export function checkTurns(contents: readonly Content[]): void {
  for (const [index, content] of contents.entries()) {
    const calls = countParts(content, 'functionCall');
    const before = contents[index - 1];
    if (calls > 0 && before?.role !== 'user') {
      throw refuseGemini(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (calls > 0 && countParts(contents[index + 1], 'functionResponse') !== calls) {
      throw refuseGemini(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
          'function call turn.',
      );
    }
    if (countParts(content, 'functionResponse') > 0 && countParts(before, 'functionCall') === 0) {
      throw refuseGemini(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
  }
}

/**
 * Thought signatures: one that we did not make is refused wherever it stands; a model that signs its calls wants the
 * first call of each step since the user's last own words to bring its signature back.
 */
export function checkSignatures(contents: readonly Content[], model: GeminiModel): void {
  const asked = contents.findLastIndex(
    (content) => content.role === 'user' && countParts(content, 'functionResponse') === 0,
  );
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== 'model') continue;
    parts.forEach(checkSignature);
    const first = parts.find((part) => part['functionCall'] !== undefined);
    if (!model.signsCalls || index < asked || first === undefined || first['thoughtSignature'] !== undefined)
      continue;
    const call = isObject(first['functionCall']) ? first['functionCall'] : {};
    throw refuseGemini(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        `call \`default_api:${String(call['name'])}\` , position ${index + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    );
  }
}

function checkSignature(part: JsonObject): void {
  const signature = part['thoughtSignature'];
  if (signature === undefined || blankSignatures.some((blank) => blank === signature)) return;
  if (unseal(textOf(signature) ?? '') === undefined) throw refuseGemini('Corrupted thought signature.');
}

function countParts(content: Content | undefined, key: string): number {
  return content?.parts.filter((part) => part[key] !== undefined).length ?? 0;
}
