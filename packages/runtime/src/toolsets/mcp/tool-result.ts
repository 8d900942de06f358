import { isInputRequiredResult } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { RuntimeError } from '../../runtime-error.ts';

type ContentBlock = CallToolResult['content'][number];

/**
 * What the model reads of a result. Throws `RUNTIME_MCP_FAILED` where the server says that the call failed, and where it
 * asks for something that only a person can give: nobody is asked here.
 */
export function readToolResult(result: CallToolResult): string {
  if (isInputRequiredResult(result)) throw needsPerson();
  const blocks = result.content.map(describeBlock);
  const text = [...blocks, ...structuredText(result)].join('\n\n');
  if (result.isError === true) throw new RuntimeError('RUNTIME_MCP_FAILED', text || 'It said no more.');
  return text;
}

/** A server asks for something that only a person can give. */
export function needsPerson(cause?: unknown): RuntimeError {
  return new RuntimeError(
    'RUNTIME_MCP_FAILED',
    'The server asks a person for more before it goes on, and nobody can be asked through this tool. ' +
      'Ask the user yourself, and call it with all that it needs.',
    { cause },
  );
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${decodedBytes(block.data)} bytes: not shown]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? `[resource ${block.resource.uri}]\n${block.resource.text}`
        : `[resource ${block.resource.uri}, ${decodedBytes(block.resource.blob)} bytes: not shown]`;
  }
}

function decodedBytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

/** The structured form, unless a block of text says the same: as JSON, or as its one text. */
function structuredText({ content, structuredContent }: CallToolResult): readonly string[] {
  if (structuredContent === undefined) return [];
  const json = JSON.stringify(structuredContent);
  const only = onlyValue(structuredContent);
  const isSaid = content.some(
    (block) => block.type === 'text' && (block.text === only || isSameJson(block.text, json)),
  );
  return isSaid ? [] : [json];
}

function onlyValue(structured: unknown): unknown {
  if (typeof structured !== 'object' || structured === null) return undefined;
  const [value, ...others] = Object.values(structured);
  return others.length === 0 ? value : undefined;
}

function isSameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
