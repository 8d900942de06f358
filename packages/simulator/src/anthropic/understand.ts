import { refuse } from '../api-error.ts';
import { workspaceOf } from './authentication.ts';
import { betasOf } from './betas.ts';
import type { RequestDraft } from '../bill.ts';
import type { Exchange } from '../exchange.ts';
import { parseRequest } from './parse-request.ts';
import { renderPrompt } from './render.ts';
import type { RenderedPrompt } from './render.ts';
import type { MessagesRequest } from './request.ts';
import type { SimulatorState } from '../state.ts';
import { checkThinking } from './thinking.ts';
import type { BindingOutcome } from './thinking.ts';

/** A Messages request that was understood: what the model reads, and what the record knows of it. */
export interface UnderstoodMessages {
  readonly workspace: string;
  readonly outcome: BindingOutcome;
  readonly prompt: RenderedPrompt;
  readonly record: Partial<RequestDraft>;
}

/** Everything that happens before the model is asked; throws what the API would refuse with. */
export function understand(state: SimulatorState, exchange: Exchange, json: unknown): UnderstoodMessages {
  const { headers } = exchange.request;
  const workspace = workspaceOf(headers);
  const { catalog, mode = 'faithful', binding } = state.options;
  const parsed = parseRequest(json, { catalog, mode, betas: betasOf(headers), isCount: isCount(exchange) });
  const countTokens = state.counterOf(parsed.model);
  const sent = renderPrompt(parsed, countTokens);
  const outcome = binding ? checkThinking(parsed, sent) : { request: parsed, dropped: [] };
  const prompt = outcome.dropped.length === 0 ? sent : renderPrompt(outcome.request, countTokens);
  checkWindow(
    outcome.request,
    prompt,
    state.windowOf(parsed.model.id, parsed.model.capabilities.contextTokens),
  );
  return {
    workspace,
    outcome,
    prompt,
    record: {
      renderedPrefixHashes: prompt.positions.map((position) => position.hash.slice(0, 16)),
      prefixTokens: prompt.prefixTokens,
      brokenBinding: outcome.dropped.length > 0,
    },
  };
}

/** Whether only the tokens are asked for. */
export function isCount(exchange: Exchange): boolean {
  return exchange.path.endsWith('/count_tokens');
}

/** §1.16.2 rows 21 and 22. */
function checkWindow(
  { rules, body }: MessagesRequest,
  { totalTokens }: RenderedPrompt,
  window: number,
): void {
  if (totalTokens > window) throw refuse(`prompt is too long: ${totalTokens} tokens > ${window} maximum`);
  const maxTokens = Number(body['max_tokens'] ?? 0);
  if (!rules.refusesOverflow || totalTokens + maxTokens <= window) return;
  throw refuse(
    `input length and \`max_tokens\` exceed context limit: ${totalTokens} + ${maxTokens} > ${window}, ` +
      'decrease input length or `max_tokens` and try again',
  );
}
