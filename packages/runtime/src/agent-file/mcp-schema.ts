import { z } from 'zod';
import { count, text } from './fields.ts';

const template = z.string({ error: 'expected a text' });
const variable = text("expected a variable's name");

const seconds = z
  .number({ error: 'expected a number of seconds' })
  .positive({ error: 'expected a number of seconds' })
  .max(86_400, { error: 'expected at most a day' });

/** Of a server that is a program, beside `command`. */
const programKeys = ['args', 'env', 'cwd'] as const;

/** Of a server that is reached by HTTP, beside `url`. */
const httpKeys = ['headers', 'oauth'] as const;

/** The tools of a server of the Model Context Protocol: a program, or an address. */
export const mcpSchema = z
  .strictObject({
    type: z.literal('mcp'),
    tools: z
      .array(text("expected a tool's name"), { error: 'expected a list of tool names' })
      .optional()
      .describe('Only these of its tools, by the names that the server gives them.'),
    command: text('expected a program').optional().describe('The program that is the server.'),
    args: z.array(template).optional().describe('${NAME} stands for a variable.'),
    env: z
      .union([z.array(variable), z.record(variable, template)], {
        error: 'expected a list of names, or texts by name',
      })
      .optional()
      .describe(
        'All that the program gets beside PATH and the language: names of variables that are passed on, or texts in which ${NAME} stands for one.',
      ),
    cwd: text('expected a folder')
      .optional()
      .describe('From the folder that the agents work in; its default.'),
    url: text('expected an address').optional().describe('${NAME} stands for a variable.'),
    headers: z.record(variable, template).optional().describe('${NAME} stands for a variable.'),
    oauth: z
      .strictObject({
        clientId: text('expected a client id').optional(),
        clientSecret: variable.optional().describe('The name of the variable that holds it.'),
        scope: text('expected scopes').optional(),
        callbackPort: z
          .int({ error: 'expected a port' })
          .min(1, { error: 'expected a port' })
          .max(65_535, { error: 'expected a port' })
          .optional()
          .describe('Where the browser comes back to after the login. Default: any free one.'),
      })
      .optional()
      .describe('Of a server that asks for a login, where it does not register its clients by itself.'),
    startup: z
      .enum(['lazy', 'wait'], { error: 'expected "lazy" or "wait"' })
      .default('lazy')
      .describe(
        'lazy: its tools come when it is ready. wait: the start waits for it, as long as startupSeconds.',
      ),
    startupSeconds: seconds.default(30).describe('How long it may take to be ready.'),
    timeoutSeconds: seconds.default(60).describe('How long a call may take.'),
    restart: z
      .enum(['never', 'on-failure', 'always'], { error: 'expected "never", "on-failure" or "always"' })
      .default('on-failure')
      .describe('When it is started again after it ended.'),
    maxRestarts: count('expected a whole number of restarts').default(5).describe('In a row.'),
    defer: z
      .boolean()
      .default(false)
      .describe('Its tools are found by search and not told to the model at once.'),
  })
  .superRefine(({ command, url, ...rest }, context) => {
    if ((command === undefined) === (url === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either command or url' });
    }
    const foreign = url === undefined ? httpKeys : programKeys;
    for (const key of foreign.filter((each) => rest[each] !== undefined)) {
      const message = `${key} is for a server with ${url === undefined ? 'a url' : 'a command'}`;
      context.addIssue({ code: 'custom', path: [key], message });
    }
  })
  .describe('The tools of an MCP server.');

/** One server, as it is written. */
export type McpConfig = z.output<typeof mcpSchema>;
