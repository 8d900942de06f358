import { refuse } from '../../api-error.ts';
import { textOf } from '../../json.ts';
import type { Block, Message } from '../request.ts';

/** Consecutive messages of one role, read as one (the API concatenates them). */
interface Turn {
  readonly role: Message['role'];
  readonly messages: readonly Message[];
  readonly blocks: readonly Block[];
}

/** Every call has its result, every result its call (§1.16.2 rows 6–8). */
export function checkPairing(messages: readonly Message[]): void {
  const turns = turnsOf(messages);
  const seen = new Set<string>();
  turns.forEach((turn, index) => {
    const isLast = index === turns.length - 1;
    if (turn.role === 'assistant') {
      checkCallIds(turn, seen);
      checkServerCalls(turn, isLast);
      checkCalls(turn, turns[index + 1]);
    } else {
      checkResults(turn, turns[index - 1]);
    }
  });
}

function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const group = groups.at(-1);
    if (group?.[0]?.role === message.role) group.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => ({
    role: group[0]?.role ?? 'user',
    messages: group,
    blocks: group.flatMap((message) => message.blocks),
  }));
}

function checkCallIds(turn: Turn, seen: Set<string>): void {
  for (const block of turn.blocks) {
    if (block.type !== 'tool_use' && block.type !== 'server_tool_use') continue;
    const id = textOf(block.json['id']) ?? '';
    if (seen.has(id)) throw refuse(`${block.path}: \`${block.type}\` ids must be unique`);
    seen.add(id);
  }
}

/** Results stand first in the next user turn, so only its opening run counts. */
function checkCalls(turn: Turn, next: Turn | undefined): void {
  const firstOther = next?.blocks.findIndex((block) => block.type !== 'tool_result') ?? -1;
  const opening = firstOther < 0 ? (next?.blocks ?? []) : (next?.blocks.slice(0, firstOther) ?? []);
  const answered = new Set(opening.map((block) => block.json['tool_use_id']));
  const missing = turn.blocks
    .filter((block) => block.type === 'tool_use' && !answered.has(block.json['id']))
    .map((block) => String(block.json['id']));
  if (missing.length === 0) return;
  throw refuse(
    `${turn.messages.at(-1)?.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, previous: Turn | undefined): void {
  const calls = previous?.blocks.filter((block) => block.type === 'tool_use') ?? [];
  const open = new Set(calls.map((block) => block.json['id']));
  const seen = new Set<unknown>();
  for (const block of turn.blocks) {
    if (block.type !== 'tool_result') continue;
    const id = block.json['tool_use_id'];
    if (!open.has(id)) {
      throw refuse(
        `${block.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (seen.has(id)) {
      throw refuse(
        `${block.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
      );
    }
    seen.add(id);
  }
}

/** The provider's own calls are answered inside the same assistant turn; the last turn may be paused in between. */
function checkServerCalls(turn: Turn, isLast: boolean): void {
  const calls = turn.blocks.filter((block) => block.type === 'server_tool_use');
  const open = new Map(calls.map((block) => [block.json['id'], block]));
  for (const block of turn.blocks) {
    const isServerResult = block.type.endsWith('_tool_result') && block.type !== 'mcp_tool_result';
    if (!isServerResult) continue;
    const id = block.json['tool_use_id'];
    if (!calls.some((call) => call.json['id'] === id)) {
      throw refuse(
        `${block.path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${String(id)}. ` +
          `Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    }
    open.delete(id);
  }
  const [unanswered] = open.values();
  if (unanswered === undefined || isLast) return;
  const { id, name } = unanswered.json;
  throw refuse(
    `${turn.messages.at(-1)?.path}: \`${String(name)}\` tool use with id \`${String(id)}\` was found ` +
      `without a corresponding \`${String(name)}_tool_result\` block`,
  );
}
