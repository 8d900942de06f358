import { searchToolEntry } from '@quartermaster/deferral';

/** A live test's request: its body, and the name that only a search can have brought to the model. */
export interface CheckQuestion {
  readonly body: string;
  readonly toolName: string;
}

const maxTokens = 1_000;

/** One loaded tool, one deferred tool with a unique name, and the search tool (CH1). */
export function askForDeferredTool(model: string, nonce: string): CheckQuestion {
  const toolName = `quartermaster_check_${nonce}`;
  const body = {
    model,
    max_tokens: maxTokens,
    messages: [
      {
        role: 'user',
        content:
          `This is an automatic test of tool search. A tool named ${toolName} exists but is not loaded. ` +
          `Search for its exact name with limit 1, then call ${toolName} with nonce=${nonce}. Answer with that call only.`,
      },
    ],
    tools: [
      {
        name: 'quartermaster_ping',
        description: 'Answers with pong. Not needed in this test.',
        input_schema: { type: 'object', properties: {} },
      },
      {
        name: toolName,
        description: 'Confirms that a deferred tool was found and called.',
        input_schema: {
          type: 'object',
          properties: { nonce: { type: 'string', description: 'The nonce of the test.' } },
          required: ['nonce'],
        },
        defer_loading: true,
      },
      JSON.parse(searchToolEntry) as object,
    ],
  };
  return { body: JSON.stringify(body), toolName };
}

/** `no-verdict` says nothing about the endpoint (CH2). */
export type CheckOutcome = 'pass' | 'fail' | 'no-verdict';

/** CH2: these say something about the moment or the caller, not about the endpoint. */
const statusesWithoutVerdict = new Set([401, 403, 404, 408, 409, 413, 429]);

/** Judges an answer. A 200 passes only where a search loaded the tool and a call to it followed (CH1). */
export function judgeAnswer(status: number, body: string, toolName: string): CheckOutcome {
  if (statusesWithoutVerdict.has(status) || status >= 500) return 'no-verdict';
  if (status !== 200) return 'fail';
  const answer = parseAnswer(body);
  if (answer?.stop_reason === 'pause_turn') return 'no-verdict';
  const content = answer?.content ?? [];
  const loadedAt = content.findIndex((block) => loads(block, toolName));
  const isCalled = content
    .slice(loadedAt + 1)
    .some(({ type, name }) => type === 'tool_use' && name === toolName);
  return loadedAt !== -1 && isCalled ? 'pass' : 'fail';
}

interface AnswerBlock {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
}

function parseAnswer(
  body: string,
): { readonly stop_reason?: unknown; readonly content: readonly AnswerBlock[] } | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer !== 'object' || answer === null || !('content' in answer)) return undefined;
    if (!Array.isArray(answer.content)) return undefined;
    const blocks = answer.content.filter(
      (block): block is AnswerBlock => typeof block === 'object' && block !== null,
    );
    return { ...answer, content: blocks };
  } catch {
    return undefined;
  }
}

function loads(block: AnswerBlock, toolName: string): boolean {
  if (block.type !== 'tool_search_tool_result') return false;
  const { content } = block;
  if (typeof content !== 'object' || content === null || !('tool_references' in content)) return false;
  const references = content.tool_references;
  return Array.isArray(references) && references.some((reference) => isReferenceTo(reference, toolName));
}

function isReferenceTo(reference: unknown, toolName: string): boolean {
  return (
    typeof reference === 'object' &&
    reference !== null &&
    'tool_name' in reference &&
    reference.tool_name === toolName
  );
}
