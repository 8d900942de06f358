import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** The tools that the tests call. */
export function addTools(server: McpServer): McpServer {
  const inputSchema = z.object({ text: z.string() });
  server.registerTool('echo', { description: 'Says it back.', inputSchema }, (input) => text(input.text));
  server.registerTool('environment', { description: 'Its environment.' }, () =>
    text(JSON.stringify(process.env)),
  );
  server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('No such file.'), isError: true }));
  server.registerTool(
    'slow',
    { description: 'Shows by tools that it began, and that it was cancelled.' },
    async (context) => {
      server.registerTool('slow_began', {}, () => text(''));
      await sleep(60_000, undefined, { signal: context.mcpReq.signal }).catch(() => undefined);
      server.registerTool('slow_was_cancelled', {}, () => text(''));
      return text('late');
    },
  );
  server.registerTool('grow', { description: 'Brings another tool.' }, () => {
    server.registerTool('grown', { description: 'Came later.' }, () => text('grown'));
    return text('done');
  });
  server.registerTool('picture', { description: 'A picture.' }, () => ({
    content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }],
    structuredContent: { width: 5 },
  }));
  server.registerTool('person', { description: 'Asks a person.' }, () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        }),
      },
    }),
  );
  return server;
}
