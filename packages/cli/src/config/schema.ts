import { z } from 'zod';
import { parseUpstreamUrl } from './upstream-url.ts';

/** What `qm.yaml` may hold. Keys are strict; every leaf has its default here, but for those that `home` decides. */
export const configSchema = z.strictObject({
  host: text('expected an address to listen on, such as 127.0.0.1')
    .default('127.0.0.1')
    .describe('Address to listen on. Off loopback the admin routes need QM_ADMIN_TOKEN.'),
  port: wholeNumber(0, 65_535).default(4000).describe('Port to listen on; 0 picks a free one.'),
  mode: choice(['local']).default('local').describe('Who is served; this version knows one tenant, "local".'),
  preset: choice(['off', 'observe', 'xhigh', 'ultrahigh'])
    .default('observe')
    .describe(
      'off and observe forward byte for byte; xhigh leaves out the tools of toolfilter.remove; ultrahigh also defers tools that are never used. What qm preset has set holds over it.',
    ),
  upstreams: z
    .strictObject({
      anthropic: upstream('https://api.anthropic.com', 'Anthropic'),
      openai: upstream('https://api.openai.com', 'OpenAI'),
      gemini: upstream('https://generativelanguage.googleapis.com', 'Gemini'),
    })
    .prefault({})
    .describe('Where requests are forwarded to.'),
  store: z
    .strictObject({
      folder: folder().describe('Folder of the SQLite file. Default: quartermaster in the XDG state folder.'),
      durability: choice(['normal', 'full'])
        .default('normal')
        .describe('full: decisions survive a power cut as well as the death of the process.'),
    })
    .describe('The durable memory of decisions and history.'),
  toolfilter: z
    .strictObject({
      defer: choice(['auto', 'off']).default('auto').describe('off switches deferral off in every preset.'),
      remove: names("expected a tool's exact name or mcp__server, without *", /^[^*]+$/).describe(
        'Tools that xhigh and ultrahigh leave out: a name, or mcp__server. What qm remove has set holds over it.',
      ),
      keep: names('expected a tool name, mcp__server, or a prefix ending in *').describe(
        'Tools that are never deferred: a name, mcp__server, or a prefix ending in *. What qm keep has set holds over it.',
      ),
      ownSearch: choice(['off'])
        .default('off')
        .describe('Whether the gateway itself searches for tools where the provider can not.'),
    })
    .prefault({})
    .describe('Which tools may be deferred or left out.'),
  clientSignals: signals()
    .prefault('on')
    .describe('off closes the routes by which clients opt out of deferral or ask for a check (SG3).'),
  limits: z
    .strictObject({
      bodyBytes: wholeNumber(1024, 1_073_741_824)
        .default(33_554_432)
        .describe('Longest request body, in bytes (the provider itself takes 32 MiB).'),
      claimMs: wholeNumber(1, 60_000)
        .default(50)
        .describe('How long a new thread waits for its decision to be durable, in ms (O1).'),
      readMs: wholeNumber(1, 60_000)
        .default(50)
        .describe('How long a new thread waits for the record that it may have, in ms (O3).'),
    })
    .prefault({})
    .describe('Bounds of a single request.'),
  retention: z
    .strictObject({
      days: wholeNumber(1, 3650)
        .default(30)
        .describe('Days that history and decisions are kept after their last use.'),
    })
    .prefault({})
    .describe('How long things are remembered.'),
  log: z
    .strictObject({
      level: choice(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info')
        .describe('Least severe line logged.'),
    })
    .prefault({})
    .describe('Logging.'),
  catalog: text('expected the path of a catalog file')
    .optional()
    .describe('File with prices and capabilities of models that replaces or extends the built-in ones.'),
});

/** Settings as the program uses them. */
export type Config = z.output<typeof configSchema> & {
  /** Opens the admin routes off loopback; from `QM_ADMIN_TOKEN` only, never from a file. */
  readonly adminToken?: string;
};

/** The JSON Schema of `qm.yaml`, for editors. A file may hold any part, so nothing is required of it. */
export function toJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.required;
    },
  });
  return { title: 'Quartermaster configuration (qm.yaml)', ...schema };
}

function text(error: string): z.ZodString {
  return z.string({ error }).min(1, { error });
}

/** A list of tools; empty by default. */
function names(error: string, pattern?: RegExp): z.ZodDefault<z.ZodArray<z.ZodString>> {
  const name = text(error);
  const item = pattern === undefined ? name : name.regex(pattern, { error });
  return z.array(item, { error: 'expected a list of tool names' }).default([]);
}

function folder(): z.ZodString {
  return text('expected a folder for SQLite').regex(/^(?![a-z][a-z0-9+.-]+:\/\/)/i, {
    error: 'expected a folder for SQLite; Postgres and other databases are not supported by this version',
  });
}

function choice<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const quoted = names.map((name) => `"${name}"`);
  return z.enum(names, {
    error: `expected ${quoted.join(' or ')}${names.length === 1 ? ' (all there is so far)' : ''}`,
  });
}

/** A file's `false` and `0` are no texts. */
function signals() {
  return z
    .union([z.string(), z.boolean(), z.int()], { error: 'expected "on" or "off"' })
    .transform((written, context) => {
      const text = String(written).toLowerCase();
      if (['on', 'true', '1'].includes(text)) return 'on' as const;
      if (['off', 'false', '0'].includes(text)) return 'off' as const;
      context.issues.push({ code: 'custom', message: 'expected "on" or "off"', input: undefined });
      return z.NEVER;
    });
}

function wholeNumber(least: number, most: number): z.ZodInt {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

function upstream(base: string, vendor: string) {
  return z
    .string({ error: 'expected a base URL' })
    .transform((written, context) => {
      const result = parseUpstreamUrl(written);
      if (result.type === 'base') return result.url;
      context.issues.push({ code: 'custom', message: result.reason, input: undefined });
      return z.NEVER;
    })
    .prefault(base)
    .describe(`Base URL of the ${vendor} API, without /v1.`);
}
