import { refuse } from '../../api-error.ts';
import { hasBeta } from '../betas.ts';
import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { allEfforts } from '../model-rules.ts';
import type { MessagesRequest } from '../request.ts';
import { refuseExtra, refuseOther, requireObject, requireText } from './schema.ts';

type Checked = Pick<MessagesRequest, 'model' | 'rules' | 'tools' | 'betas' | 'body'>;

const minBudgetTokens = 1_024;

/** Thinking, sampling and `tool_choice` against the model (§1.16.2 rows 13, 16–18, 25). */
export function checkParameters(request: Checked): void {
  checkSampling(request);
  checkEffort(request);
  checkThinking(request);
  checkToolChoice(request);
}

function checkSampling({ body, rules, model }: Checked): void {
  const max = model.capabilities.maxOutputTokens;
  if (Number(body['max_tokens'] ?? 0) > max) {
    throw refuse(
      `max_tokens: ${String(body['max_tokens'])} > ${max}, which is the maximum allowed number of output tokens for ${model.id}`,
    );
  }
  if (rules.sampling) return;
  const defaults: JsonObject = { temperature: 1, top_p: 1, top_k: undefined };
  const changed = Object.keys(defaults).find((key) => (body[key] ?? defaults[key]) !== defaults[key]);
  if (changed !== undefined) throw refuse(`${changed}: only the default value is supported for this model.`);
}

function checkEffort({ body, model }: Checked): void {
  if (body['output_config'] === undefined || body['output_config'] === null) return;
  const { efforts } = model.capabilities;
  const { effort } = requireObject(body['output_config'], 'output_config');
  refuseOther(effort, 'output_config.effort', allEfforts);
  if (effort === undefined || effort === null || efforts.some((known) => known === effort)) return;
  if (efforts.length === 0) throw refuse('This model does not support the effort parameter.');
  refuseOther(effort, 'output_config.effort', efforts);
}

function checkThinking({ body, rules, betas }: Checked): void {
  if (body['thinking'] === undefined || body['thinking'] === null) return;
  const thinking = requireObject(body['thinking'], 'thinking');
  const type = requireText(thinking, 'type', 'thinking');
  refuseOther(type, 'thinking.type', ['adaptive', 'enabled', 'disabled', 'between_tools']);
  refuseExtra(thinking, `thinking.${type}`, [
    'type',
    ...(type === 'enabled' ? ['budget_tokens'] : []),
    ...(type === 'enabled' || type === 'adaptive' ? ['display'] : []),
    ...(hasBeta(betas, 'thinking-binding-controls') ? ['block_binding'] : []),
  ]);
  refuseOther(thinking['display'], `thinking.${type}.display`, ['summarized', 'omitted', 'updates']);
  if (!rules.thinkingTypes.has(type)) throw refuseThinking(type);
  if (type === 'enabled') checkBudget(thinking['budget_tokens'], body['max_tokens']);
  const binding = thinking['block_binding'];
  if (!isObject(binding)) return;
  refuseOther(binding['prefix_mismatch_behavior'], 'thinking.block_binding.prefix_mismatch_behavior', [
    'error',
    'drop_block',
  ]);
}

function refuseThinking(type: string): Error {
  if (type === 'adaptive') return refuse('adaptive thinking is not supported on this model');
  const instead =
    type === 'enabled'
      ? ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
      : '';
  return refuse(`"thinking.type.${type}" is not supported for this model.${instead}`);
}

function checkBudget(budget: unknown, maxTokens: unknown): void {
  if (typeof budget !== 'number') throw refuse('thinking.enabled.budget_tokens: Field required');
  if (budget < minBudgetTokens) {
    throw refuse(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${minBudgetTokens}`,
    );
  }
  if (typeof maxTokens === 'number' && maxTokens > 0 && budget >= maxTokens) {
    throw refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
}

function checkToolChoice({ body, model, tools }: Checked): void {
  if (body['tool_choice'] === undefined || body['tool_choice'] === null) return;
  const choice = requireObject(body['tool_choice'], 'tool_choice');
  const type = requireText(choice, 'type', 'tool_choice');
  refuseOther(type, 'tool_choice.type', ['auto', 'any', 'tool', 'none']);
  refuseExtra(choice, `tool_choice.${type}`, [
    'type',
    ...(type === 'tool' ? ['name'] : []),
    ...(type === 'none' ? [] : ['disable_parallel_tool_use']),
  ]);
  if (tools.length === 0) throw refuse('tool_choice may only be specified while providing tools.');
  if (type !== 'any' && type !== 'tool') return;
  if (!model.capabilities.forcedToolChoice) {
    throw refuse('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  const thinking = isObject(body['thinking']) ? textOf(body['thinking']['type']) : undefined;
  if (thinking === 'enabled' || thinking === 'adaptive') {
    throw refuse('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (type === 'any') return;
  const name = requireText(choice, 'name', 'tool_choice.tool');
  if (!tools.some((tool) => tool.name === name)) throw refuse(`Tool '${name}' not found in provided tools`);
}
