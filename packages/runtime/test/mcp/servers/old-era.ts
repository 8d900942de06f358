// A server of the package before the newer era, as most of those in the world are.
import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'old', version: '1.0.0' });
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

server.registerTool('echo', { description: 'Says it back.', inputSchema: { text: z.string() } }, (input) =>
  text(input.text),
);
server.registerTool('grow', { description: 'Brings another tool.' }, () => {
  server.registerTool('grown', { description: 'Came later.' }, () => text('grown'));
  return text('done');
});
server.registerTool('ask', { description: 'Asks a person.' }, async () => {
  const answer = await server.server.elicitInput({
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  });
  return text(answer.action);
});
process.stderr.write('old server is up\n');
await server.connect(new StdioServerTransport());
