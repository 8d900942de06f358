import { z } from 'zod';
import { text } from './fields.ts';
import { mcpSchema } from './mcp-schema.ts';

const folder = text('expected a folder');

/** Names of the tools that agents get of it; all without the key. */
const tools = z
  .array(text("expected a tool's name"), { error: 'expected a list of tool names' })
  .optional()
  .describe('Only these of its tools.');

const defer = z
  .boolean({ error: 'expected true or false' })
  .optional()
  .describe('Its tools wait in a catalogue: a model finds them by searching. Default: false.');

function toolset<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
  about: string,
) {
  return z.strictObject({ type: z.literal(type), tools, defer, ...shape }).describe(about);
}

/** One set of tools. */
export const toolsetSchema = z.discriminatedUnion(
  'type',
  [
    toolset(
      'filesystem',
      {
        root: folder.default('.').describe('From the folder that the agents work in.'),
        readOnly: z.boolean().default(false).describe('No tool that writes.'),
      },
      'Read, write, edit, list, find and search files below one folder.',
    ),
    toolset('shell', {}, 'Run commands; each one in a command line is judged by itself.'),
    toolset('fetch', {}, 'Read pages of the web; never addresses of this machine or its network.'),
    toolset('think', {}, 'Write a thought down before going on.'),
    toolset('plan', {}, 'The plan and the tasks of a session.'),
    toolset('memory', {}, 'Remember things about a user.'),
    toolset('knowledge', {}, 'Documents of the project and of the user, searched in full text.'),
    toolset('code', {}, 'Run short programs.'),
    toolset(
      'skills',
      { folders: z.array(folder).min(1).describe('From the folder of this file.') },
      'Instructions that are loaded when they are needed.',
    ),
    mcpSchema,
  ],
  { error: 'expected a type of toolset that there is' },
);

/** One set of tools, as it is written. */
export type ToolsetConfig = z.output<typeof toolsetSchema>;

/** The types that need no more than their name. */
export const plainToolsets = [
  'filesystem',
  'shell',
  'fetch',
  'think',
  'plan',
  'memory',
  'knowledge',
  'code',
] as const;

/** The types that can't be used by their name alone. */
export const typesWithOptions: readonly string[] = ['skills', 'mcp'];
