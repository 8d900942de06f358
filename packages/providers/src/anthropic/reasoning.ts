import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../language-model.ts';
import { closeObjects } from '../object-schema.ts';
import { generationOf } from './generation.ts';

type Reasoning = Pick<MessageCreateParamsStreaming, 'thinking' | 'output_config'> & Sampling;

/** For older models; the SDK's types have forgotten it. */
export interface Sampling {
  readonly temperature?: number;
}

/** Tokens to think with, for models that take no effort. */
const budgets = { low: 4_096, medium: 16_384, high: 32_768 };
/** The API's least budget; the answer itself keeps as much. */
const minBudget = 1_024;

/**
 * Thinking, effort and temperature as the model takes them. Thoughts are asked for in their summary, since the default
 * of newer models is to show none. A temperature is left out where the API would refuse it: on newer models, and
 * beside thinking.
 */
export function toReasoning(
  request: ModelRequest,
  { id, maxTokens }: { readonly id: string; readonly maxTokens: number },
): Reasoning {
  const { takesTemperature } = generationOf(id);
  const thinking = toThinking(request.reasoning, id, maxTokens);
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  return {
    ...(thinking !== undefined && { thinking }),
    ...toOutputConfig(request, id),
    ...(takesTemperature &&
      !isThinking &&
      request.temperature !== undefined && { temperature: request.temperature }),
  };
}

function toThinking(
  reasoning: ModelRequest['reasoning'],
  id: string,
  maxTokens: number,
): Reasoning['thinking'] {
  const { thinking, canBeQuiet } = generationOf(id);
  if (reasoning === undefined || thinking === 'none') return undefined;
  if (reasoning === 'off') return canBeQuiet ? { type: 'disabled' } : undefined;
  if (thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  const budget = Math.min(budgets[reasoning], maxTokens - minBudget);
  return budget < minBudget ? undefined : { type: 'enabled', budget_tokens: budget };
}

/** A model that can't be quiet thinks the least that it can. */
function toOutputConfig(request: ModelRequest, id: string): Pick<Reasoning, 'output_config'> {
  const { thinking, canBeQuiet } = generationOf(id);
  const { reasoning, structuredOutput } = request;
  const effort = reasoning === 'off' ? (canBeQuiet ? undefined : 'low') : reasoning;
  const takesEffort = thinking === 'adaptive' && effort !== undefined;
  if (!takesEffort && structuredOutput === undefined) return {};
  return {
    output_config: {
      ...(takesEffort && { effort }),
      ...(structuredOutput !== undefined && {
        format: { type: 'json_schema', schema: closeObjects(structuredOutput.schema) },
      }),
    },
  };
}
