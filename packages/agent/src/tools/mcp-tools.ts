import { fromJsonSchema, toJsonSchema } from './from-json-schema.ts';
import type { JsonSchema } from './from-json-schema.ts';
import type { QualifiedNames } from './qualified-names.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool as an MCP server lists it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
}

/** One server and how its tools are called. */
export interface McpServer {
  readonly name: string;
  call(tool: string, input: unknown, context: ToolContext): Promise<unknown>;
}

/** What a registry knows of one server. */
export interface McpTools {
  /**
   * Issues the tools of the server's list, in its order. One that is listed again as it was stays the same tool; one
   * whose description or schema changed is another one, and what was approved for the former is void (P6, case 99).
   */
  update(listed: readonly McpTool[]): readonly Tool[];
}

/** The tools of a server that has listed nothing yet. They are called by qualified names (T10). */
export function createMcpTools(registry: ToolRegistry, names: QualifiedNames, server: McpServer): McpTools {
  const issued = new Map<string, Tool>();

  function issue(tool: McpTool): Tool {
    const name = names.qualify({ server: server.name, tool: tool.name });
    const description = tool.description?.trim() || `${tool.name} of ${server.name}.`;
    const former = issued.get(name);
    if (former !== undefined && isSame(former, description, tool.inputSchema)) return former;
    const definition = {
      name,
      description,
      inputSchema: fromJsonSchema(structuredClone(tool.inputSchema)), // the server checks its own arguments
      capabilities: [{ capability: 'mcp.call', target: { constant: `${server.name}/${tool.name}` } }],
      run: (input: unknown, context: ToolContext) => server.call(tool.name, input, context),
    };
    const issuedNow = registry.register(definition, { replace: former !== undefined });
    issued.set(name, issuedNow);
    return issuedNow;
  }

  return { update: (listed) => listed.map(issue) };
}

function isSame(former: Tool, description: string, schema: JsonSchema): boolean {
  return (
    former.description === description &&
    canonicalJson(toJsonSchema(former.inputSchema)) === canonicalJson(schema)
  );
}

/** The same text whatever the order of keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
