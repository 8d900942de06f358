import type { Model } from '@quartermaster/catalog';
import { refuse } from '../../api-error.ts';
import { hasBeta } from '../betas.ts';
import { isObject, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { allEfforts } from '../model-rules.ts';
import type { Message } from '../request.ts';
import { readContent } from './content.ts';
import { refuseExtra, refuseOther, requireObject } from './schema.ts';
import { checkToolChangeShapes } from './tool-changes.ts';

const maxMessages = 100_000;

interface MessageContext {
  readonly model: Model;
  readonly betas: readonly string[];
  /** Whether this upstream takes `role: "system"` at all. */
  readonly takesSystem: boolean;
}

/** The `messages` of a request, each one's own shape checked. */
export function readMessages(value: unknown, context: MessageContext): readonly Message[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length === 0) throw refuse('messages: at least one message is required');
  if (list.length > maxMessages) throw refuse(`messages: at most ${maxMessages} messages are allowed`);
  return list.map((item, index) => readMessage(requireObject(item, `messages.${index}`), index, context));
}

function readMessage(json: JsonObject, index: number, context: MessageContext): Message {
  const path = `messages.${index}`;
  const role = readRole(json, path, context);
  checkSystemOnly(json, path, { role, betas: context.betas });
  refuseExtra(json, path, ['role', 'content', 'clear_at', 'output_config']);
  const isBare = role === 'system' && (json['content'] === undefined || json['content'] === null);
  if (json['content'] === undefined && !isBare) throw refuse(`${path}.content: Field required`);
  const blocks = isBare
    ? []
    : readContent(json['content'], `${path}.content`, { place: role, betas: context.betas });
  const config = json['output_config'];
  const effort = isObject(config) ? textOf(config['effort']) : undefined;
  const message = { role, blocks, path, isTurnScoped: json['clear_at'] === 'next_user_message', effort };
  if (role === 'system') checkSystemMessage(message, isObject(config), context.betas);
  return message;
}

function readRole(json: JsonObject, path: string, context: MessageContext): Message['role'] {
  const role = json['role'];
  if (role === undefined) throw refuse(`${path}.role: Field required`);
  if (role === 'user' || role === 'assistant') return role;
  if (role === 'system' && context.takesSystem) return role;
  // The natural wording, by which clients know that the role is not taken here (§3.1.3).
  throw refuse(`${path}.role: Input should be 'user' or 'assistant'`);
}

/** Rule 2: `clear_at` and `output_config` need their betas, and a system message. */
function checkSystemOnly(
  json: JsonObject,
  path: string,
  { role, betas }: { readonly role: string; readonly betas: readonly string[] },
): void {
  const extra = (key: string): Error => refuse(`${path}.${key}: Extra inputs are not permitted`);
  if (json['clear_at'] !== undefined) {
    if (!hasBeta(betas, 'mid-conversation-system-clear-at')) throw extra('clear_at');
    if (role !== 'system')
      throw refuse(`${path}.clear_at: clear_at is only permitted on role 'system' messages`);
    refuseOther(json['clear_at'], `${path}.clear_at`, ['next_user_message', 'never']);
  }
  if (json['output_config'] !== undefined) {
    const isOn = hasBeta(betas, 'mid-conversation-output-config', 'per-turn-control');
    if (!isOn || role !== 'system') throw extra('output_config');
    const config = requireObject(json['output_config'] ?? {}, `${path}.output_config`);
    refuseOther(config['effort'], `${path}.output_config.effort`, allEfforts);
  }
}

function checkSystemMessage(message: Message, hasConfig: boolean, betas: readonly string[]): void {
  const { path, blocks } = message;
  if (blocks.length === 0 && !hasConfig) {
    throw refuse(`${path}: a system message must have content or output_config`);
  }
  checkToolChangeShapes(blocks, betas);
  if (message.isTurnScoped) checkTurnScoped(message, hasConfig);
}

/** §1.10.3: a turn-scoped message is text and nothing else. */
function checkTurnScoped({ path, blocks }: Message, hasConfig: boolean): void {
  const scope = "(clear_at: 'next_user_message')";
  if (blocks.some((block) => block.type !== 'text')) {
    throw refuse(`${path}: a turn-scoped system message supports text blocks only ${scope}`);
  }
  if (hasConfig)
    throw refuse(`${path}: output_config is not permitted on a turn-scoped system message ${scope}`);
  const marked = blocks.find((block) => isObject(block.json['cache_control']));
  if (marked !== undefined) {
    throw refuse(`${marked.path}: cache_control is not permitted on a turn-scoped system message ${scope}`);
  }
}
