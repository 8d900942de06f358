import { refuse } from '../../api-error.ts';
import { hasBeta } from '../betas.ts';
import { isObject, objectsIn, textOf } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import type { Block, Message, Tool } from '../request.ts';
import { requireObject, requireText } from './schema.ts';
import { checkClientTool } from './tools.ts';

const changes = 'mid-conversation-tool-changes';
const inline = 'inline-tools';

/** Rule 2 and §1.10.2: the shape of `tool_addition` and `tool_removal`, and the betas they need. */
export function checkToolChangeShapes(blocks: readonly Block[], betas: readonly string[]): void {
  for (const block of blocks) {
    if (block.type !== 'tool_addition' && block.type !== 'tool_removal') continue;
    if (!hasBeta(betas, changes, inline))
      throw refuse(`${block.path}.${block.type}: Extra inputs are not permitted`);
    checkTarget(block, betas);
  }
}

function checkTarget(block: Block, betas: readonly string[]): void {
  const path = `${block.path}.${block.type}.tool`;
  const target = requireObject(block.json['tool'], path);
  switch (target['type']) {
    case 'tool_reference':
      requireText(target, 'name', path);
      return;
    case 'mcp_tool_reference':
      requireText(target, 'server_name', path);
      requireText(target, 'name', path);
      return;
    case 'mcp_toolset_reference':
      requireText(target, 'server_name', path);
      return;
    case 'tool_definition':
      checkInlineDefinition(block, target, betas);
      return;
    default:
      throw refuse(
        `${path}: Input tag '${String(target['type'])}' found using 'type' does not match any of the expected tags`,
      );
  }
}

function checkInlineDefinition(block: Block, target: JsonObject, betas: readonly string[]): void {
  const path = `${block.path}.${block.type}.tool`;
  if (block.type === 'tool_removal' || !hasBeta(betas, inline)) {
    throw refuse(
      `${path}: Input tag 'tool_definition' found using 'type' does not match any of the expected tags`,
    );
  }
  const definition = requireObject(target['definition'], `${path}.definition`);
  checkClientTool(definition, `${path}.definition`, betas);
  if (isObject(block.json['cache_control']) && isObject(definition['cache_control'])) {
    throw refuse(
      `${path}.definition: cache_control may be set on the block or inside the definition, not both`,
    );
  }
}

/** Every change names something that exists; an inline definition may not take the name of a tool of another kind. */
export function checkToolChanges(tools: readonly Tool[], messages: readonly Message[]): void {
  const known = new Set(tools.map((tool) => tool.name));
  const servers = new Set(tools.map((tool) => textOf(tool.definition['mcp_server_name'])));
  const provided = new Set(tools.filter((tool) => tool.kind !== 'client').map((tool) => tool.name));
  const blocks = messages.flatMap((message) => message.blocks);
  for (const target of blocks.flatMap((block) => objectsIn([block.json['tool']]))) {
    const name = textOf(target['name']) ?? '';
    const server = textOf(target['server_name']);
    if (server !== undefined && !servers.has(server)) throw unresolved(server);
    if (target['type'] === 'tool_reference' && !known.has(name)) throw unresolved(name);
    if (target['type'] !== 'tool_definition' || !isObject(target['definition'])) continue;
    const defined = String(target['definition']['name']);
    if (provided.has(defined)) {
      throw refuse(`Tool '${defined}' is already provided as a tool of another kind`, 'tool_name_conflict');
    }
    known.add(defined);
  }
}

function unresolved(name: string): Error {
  return refuse(`Tool reference '${name}' not found in available tools`, 'tool_reference_unresolved');
}
