import { ApiError } from '../api-error.ts';
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { checkSignatures, checkTurns, readContent, readContents } from './contents.ts';
import { checkUniqueDeclarations, readDeclarations } from './declarations.ts';
import { readFields, readRepeated, refuseGemini } from './fields.ts';
import type { GeminiModel } from './models.ts';
import type { GeminiRequest } from './request.ts';

const bodyKeys = [
  'cachedContent',
  'contents',
  'generationConfig',
  'model',
  'safetySettings',
  'serviceTier',
  'store',
  'systemInstruction',
  'toolConfig',
  'tools',
];
const toolKeys = [
  'codeExecution',
  'computerUse',
  'fileSearch',
  'functionDeclarations',
  'googleMaps',
  'googleSearch',
  'googleSearchRetrieval',
  'mcpServers',
  'urlContext',
];
const generationKeys = [
  'candidateCount',
  'enableEnhancedCivicAnswers',
  'frequencyPenalty',
  'imageConfig',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseFormat',
  'responseJsonSchema',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'responseSchema',
  'seed',
  'speechConfig',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
];
const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];

/** The request behind a body, or the API's error: unknown fields first, as its parser does, then meanings. */
export function parseRequest(json: unknown, model: GeminiModel): GeminiRequest {
  const body = readFields(json, '', bodyKeys);
  const tools = readTools(body['tools']);
  const generationConfig = readOptional(body['generationConfig'], 'generation_config', generationKeys);
  const system = body['systemInstruction'];
  const request: GeminiRequest = {
    model,
    contents: readContents(body['contents'], 'contents'),
    systemParts: system === undefined ? [] : readContent(system, 'system_instruction').parts,
    declarations: tools.declarations,
    hostedTools: tools.hosted,
    functionCalling: readFunctionCalling(body['toolConfig']),
    generationConfig,
    thinkingConfig: readOptional(generationConfig['thinkingConfig'], 'generation_config.thinking_config', [
      'includeThoughts',
      'thinkingBudget',
      'thinkingLevel',
    ]),
  };
  checkMeaning(request, body);
  return request;
}

function checkMeaning(request: GeminiRequest, body: JsonObject): void {
  const { declarations, functionCalling, contents, model } = request;
  if (body['cachedContent'] !== undefined) {
    throw new ApiError('permission_error', 'CachedContent not found (or permission denied)');
  }
  checkUniqueDeclarations(declarations);
  if (functionCalling.mode === 'ANY' && declarations.length === 0) {
    throw refuseGemini('Function calling config is set without function_declarations.');
  }
  const absent = functionCalling.allowed?.find((name) => !declarations.some((known) => known.name === name));
  if (absent !== undefined) {
    throw refuseGemini(
      `* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: "${absent}" is not declared.\n`,
    );
  }
  checkTurns(contents);
  checkSignatures(contents, model);
}

function readTools(value: unknown): {
  readonly declarations: GeminiRequest['declarations'];
  readonly hosted: readonly JsonObject[];
} {
  const tools = readRepeated(value, 'tools').map(({ item, at }) => ({
    fields: readFields(item, at, toolKeys),
    at,
  }));
  return {
    declarations: tools.flatMap(({ fields, at }) =>
      readDeclarations(fields['functionDeclarations'], `${at}.function_declarations`),
    ),
    hosted: tools.map(({ fields: { functionDeclarations: _, ...others } }) => others).filter(isUsed),
  };
}

function isUsed(tool: JsonObject): boolean {
  return Object.keys(tool).length > 0;
}

function readFunctionCalling(value: unknown): GeminiRequest['functionCalling'] {
  const config = readOptional(value, 'tool_config', [
    'functionCallingConfig',
    'includeServerSideToolInvocations',
    'retrievalConfig',
  ]);
  const calling = readOptional(config['functionCallingConfig'], 'tool_config.function_calling_config', [
    'allowedFunctionNames',
    'mode',
    'streamFunctionCallArguments',
  ]);
  const mode = calling['mode'] ?? 'AUTO';
  if (typeof mode !== 'string' || !modes.includes(mode)) {
    throw refuseGemini(
      "Invalid value at 'tool_config.function_calling_config.mode' " +
        `(type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), ${JSON.stringify(mode)}`,
    );
  }
  const names = calling['allowedFunctionNames'];
  const allowed = Array.isArray(names) ? names.map(String) : undefined;
  if (allowed !== undefined && allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw refuseGemini(
      'Allowed function names can only be set when the function calling mode is ANY or VALIDATED.',
    );
  }
  return { mode, allowed: allowed?.length === 0 ? undefined : allowed };
}

function readOptional(value: unknown, path: string, keys: readonly string[]): JsonObject {
  return isObject(value) ? readFields(value, path, keys) : {};
}
