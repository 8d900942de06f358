import type { JsonValue, ToolCallPart } from '@quartermaster/agent/messages';
import { isJsonObject, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { readToolInput } from '../tool-input.ts';

/** The arguments of a call, which OpenAI's APIs have as text: as the model wrote them where it was this API's. */
export function toArguments({ input }: ToolCallPart, data: JsonObject | undefined): string {
  return textOf(data?.['arguments']) ?? printArguments(input);
}

/** What to keep of the text beside its value: white space and escapes are part of the prompt that is cached. */
export function readArguments(
  written: string,
  cut: { readonly isCut: boolean },
): { readonly input: JsonValue; readonly kept: { readonly arguments?: string } } {
  const input = readToolInput(written, cut);
  return { input, kept: printArguments(input) === written ? {} : { arguments: written } };
}

/** Servers that read the arguments of the history fail on what is no object: such input is wrapped. */
function printArguments(input: JsonValue): string {
  return JSON.stringify(isJsonObject(input) ? input : { INVALID_JSON: input });
}
