/** A tool of the fixture: what every client in the matrix declares, and what three sessions leave unused. */
export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> };
}

/** MCP servers of the fixture; each is one unit for a client that names tools `mcp__<server>__<tool>` (RU6). */
export const fixtureServers = ['depot', 'harbour'] as const;

const verbs = ['find', 'count', 'move', 'label', 'weigh', 'pack', 'send', 'audit', 'sort', 'order'] as const;

/**
 * The tools of one server, named `<verb>_<server>_goods`. Each weighs more than the 200 tokens of RU5 by itself, for the
 * clients that call an MCP server's tools by names that no server can be read from.
 */
export function fixtureTools(server: string): readonly FixtureTool[] {
  return verbs.map((verb) => ({
    name: `${verb}_${server}_goods`,
    description: `Can ${verb} goods of the ${server}. Answers with the tool's name and the input that it was given.`,
    inputSchema: { type: 'object', properties: propertiesFor(verb, server) },
  }));
}

/** What the tool of a server answers: the same for the same input. */
export function answerOf(tool: string, input: unknown): string {
  return JSON.stringify({ tool, input });
}

function propertiesFor(verb: string, server: string): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `field_${index}`,
      {
        type: 'string',
        description: `Field ${index} of the goods that the ${server} is to ${verb}, or nothing where any will do.`,
      },
    ]),
  );
}
