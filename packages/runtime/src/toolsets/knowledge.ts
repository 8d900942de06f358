import type { ToolContext, ToolDefinition } from '@quartermaster/agent';
import type { KnowledgeBase } from '@quartermaster/agent/services';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';

const requires = 'knowledgeBase';
const scope = z.enum(['project', 'user']).default('project').describe('Whose documents.');

type Scope = z.output<typeof scope>;

function baseOf(context: ToolContext, whose: Scope): KnowledgeBase {
  return context.service(whose === 'user' ? 'userKnowledgeBase' : 'knowledgeBase');
}

/**
 * The tools for documents. Each way for a text to come in needs a right of its own: a file that of reading it, a
 * page that of fetching it.
 */
export function knowledgeTools(): readonly ToolDefinition[] {
  return [...readers(), ...writers()];
}

function readers(): readonly ToolDefinition[] {
  const capabilities = [{ capability: 'knowledge.read', target: 'none' }] as const;
  return [
    defineTool({
      name: 'search_knowledge',
      description: 'Find passages of documents by words, the best first.',
      inputSchema: z.strictObject({ words: z.string(), scope, limit: z.int().min(1).max(50).default(10) }),
      capabilities,
      requires,
      async run({ words, limit, ...input }, context) {
        const hits = await baseOf(context, input.scope).search(words, { limit });
        if (hits.length === 0) return 'No passage has these words.';
        return hits.map(({ document, text }) => `[${document.id}] ${document.title}\n${text}`).join('\n\n');
      },
    }),
    defineTool({
      name: 'read_document',
      description: 'Read a whole document by its id.',
      inputSchema: z.strictObject({ id: z.string(), scope }),
      capabilities,
      requires,
      run: async ({ id, ...input }, context) =>
        (await baseOf(context, input.scope).read(id)) ?? 'There is no such document.',
    }),
    defineTool({
      name: 'list_documents',
      description: 'List the documents, the newest first.',
      inputSchema: z.strictObject({ scope }),
      capabilities,
      requires,
      async run(input, context) {
        const documents = await baseOf(context, input.scope).list();
        if (documents.length === 0) return 'There is no document.';
        return documents.map(({ id, title, source }) => `[${id}] ${title} (${source})`).join('\n');
      },
    }),
  ];
}

function writers(): readonly ToolDefinition[] {
  const write = { capability: 'knowledge.write', target: 'none' } as const;
  return [
    defineTool({
      name: 'add_document',
      description: 'Add a text as a document.',
      inputSchema: z.strictObject({ title: z.string().min(1), text: z.string().min(1), scope }),
      capabilities: [write],
      requires,
      run: async ({ title, text, ...input }, context) =>
        `Added as ${(await baseOf(context, input.scope).addText(text, { title })).id}.`,
    }),
    defineTool({
      name: 'add_file',
      description: 'Add a text file as a document, in place of what was added from it before.',
      inputSchema: z.strictObject({ path: z.string().describe('Absolute.'), scope }),
      capabilities: [write, { capability: 'filesystem.read', target: { argument: 'path' } }],
      requires,
      run: async ({ path, ...input }, context) =>
        `Added as ${(await baseOf(context, input.scope).addFile(path)).id}.`,
    }),
    defineTool({
      name: 'add_page',
      description: 'Add a page of the web as a document, in place of what was added from it before.',
      inputSchema: z.strictObject({ url: z.string(), scope }),
      capabilities: [write, { capability: 'network.fetch', target: { argument: 'url' } }],
      requires,
      run: async ({ url, ...input }, context) =>
        `Added as ${(await baseOf(context, input.scope).addUrl(url, { signal: context.signal })).id}.`,
    }),
    defineTool({
      name: 'remove_document',
      description: 'Remove a document by its id.',
      inputSchema: z.strictObject({ id: z.string(), scope }),
      capabilities: [write],
      requires,
      run: async ({ id, ...input }, context) =>
        (await baseOf(context, input.scope).remove(id)) ? 'Removed.' : 'There is no such document.',
    }),
  ];
}
