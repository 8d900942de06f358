import type { ToolDefinition } from '@quartermaster/agent';
import { readUrlSource } from '@quartermaster/agent/services';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { describeRun } from './describe-run.ts';

const maxPageBytes = 4 * 1024 * 1024;

/** `fetch_page`. `fetch` decides which addresses are reached at all. */
export function fetchTools(fetch: typeof globalThis.fetch): readonly ToolDefinition[] {
  const tool = defineTool({
    name: 'fetch_page',
    description: 'Read a page or another text of the web by its URL. A redirection is told, not followed.',
    inputSchema: z.strictObject({ url: z.string() }),
    capabilities: [{ capability: 'network.fetch', target: { argument: 'url' } }],
    async run({ url }, { signal }) {
      const { title, source, text } = await readUrlSource(url, { fetch, maxBytes: maxPageBytes, signal });
      return `${title}\n${source}\n\n${text}`;
    },
  });
  return [tool];
}

/** `think`: a place to think in words that nobody else sees. */
export function thinkTools(): readonly ToolDefinition[] {
  const tool = defineTool({
    name: 'think',
    description: 'Write down a thought: what was learned, what to do next. It changes nothing.',
    inputSchema: z.strictObject({ thought: z.string() }),
    capabilities: 'exempt',
    run: () => 'Noted.',
  });
  return [tool];
}

/** `run_code`: short programs, apart from this process and without its secrets. */
export function codeTools(): readonly ToolDefinition[] {
  const tool = defineTool({
    name: 'run_code',
    description: 'Run a short program in an empty folder and read what it prints.',
    inputSchema: z.strictObject({ language: z.enum(['javascript', 'python', 'shell']), code: z.string() }),
    capabilities: [{ capability: 'code.run', target: { argument: 'language' } }],
    requires: 'codeExecutor',
    run: async ({ language, code }, context) => {
      const executor = context.service('codeExecutor');
      return describeRun(await executor.run({ language, source: { code }, signal: context.signal }));
    },
  });
  return [tool];
}

/** The tools by which an agent remembers things about its user. */
export function memoryTools(): readonly ToolDefinition[] {
  const requires = 'memory';
  return [
    defineTool({
      name: 'remember',
      description: 'Remember one thing about the user, in a sentence, for all later sessions.',
      inputSchema: z.strictObject({ text: z.string().min(1) }),
      capabilities: [{ capability: 'memory.write', target: 'none' }],
      requires,
      run: async ({ text }, context) =>
        `Remembered as ${(await context.service('memory').remember(text)).id}.`,
    }),
    defineTool({
      name: 'recall',
      description: 'Find what is remembered about the user by words; the newest without any.',
      inputSchema: z.strictObject({ words: z.string().default('') }),
      capabilities: [{ capability: 'memory.read', target: 'none' }],
      requires,
      async run({ words }, context) {
        const memory = context.service('memory');
        const found = words.trim() === '' ? await memory.list() : await memory.recall(words);
        return found.length === 0
          ? 'Nothing is remembered of that.'
          : found.map(({ id, text }) => `${id}: ${text}`);
      },
    }),
    defineTool({
      name: 'forget',
      description: 'Forget one thing by its id.',
      inputSchema: z.strictObject({ id: z.string() }),
      capabilities: [{ capability: 'memory.write', target: 'none' }],
      requires,
      run: async ({ id }, context) =>
        (await context.service('memory').forget(id)) ? 'Forgotten.' : 'There is no such thing.',
    }),
  ];
}
