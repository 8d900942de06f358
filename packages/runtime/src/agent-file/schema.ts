import { policySchema } from '@quartermaster/agent/permissions';
import { z } from 'zod';
import { count, text } from './fields.ts';
import { toolsetSchema } from './toolset-schema.ts';

const name = z.string({ error: 'expected a name' }).regex(/^[A-Za-z][\w-]{0,63}$/, {
  error: 'expected a name of letters, digits, _ and -, at most 64 of them',
});

const modelName = text('expected a model: a name of the section models, or an id such as claude-opus-5-5');

const modelSchema = z.strictObject({
  provider: z
    .enum(['anthropic', 'openai', 'google'], { error: 'expected "anthropic", "openai" or "google"' })
    .describe('Whose API it is; openai also for the servers of others that speak it.'),
  model: text("expected the model's id").describe('The id that the provider is asked for.'),
  api: z
    .enum(['responses', 'chat'], { error: 'expected "responses" or "chat"' })
    .optional()
    .describe('Of openai alone. Default: responses; chat where baseUrl is set.'),
  baseUrl: text('expected a base URL')
    .optional()
    .describe("Default: the vendor's. ${NAME} stands for a variable."),
  credential: text('expected the name of a variable such as MY_KEY')
    .optional()
    .describe(
      "The environment variable that holds the key. Default: the provider's own, as ANTHROPIC_API_KEY.",
    ),
  parameters: z
    .strictObject({
      temperature: z.number({ error: 'expected a number' }).min(0).max(2).optional(),
      maxOutputTokens: count('expected a whole number of tokens').optional(),
      reasoning: z
        .enum(['off', 'low', 'medium', 'high'], { error: 'expected "off", "low", "medium" or "high"' })
        .optional(),
    })
    .default({}),
});

const agentPermissions = policySchema.extend({
  unmatched: z
    .enum(['inherit', 'ask', 'deny'], { error: 'expected "inherit", "ask" or "deny"' })
    .default('inherit')
    .describe('What is said of a call that none of its own rules cover. inherit: what its parent says.'),
});

const agentSchema = z.strictObject({
  name,
  description: text('expected a description').optional().describe('When its parent should hand work to it.'),
  instruction: text('expected an instruction').describe('What the agent is told.'),
  model: modelName.optional().describe("Default: the settings' model."),
  fallbackModels: z
    .array(modelName, { error: 'expected a list of models' })
    .default([])
    .describe('Asked in their order where the model can not answer, before anything of it was shown.'),
  toolsets: z
    .array(text("expected a toolset's name"), { error: "expected a list of toolsets' names" })
    .default([])
    .describe('Names of the section toolsets, or a type that needs no options.'),
  subAgents: z
    .array(name, { error: "expected a list of agents' names" })
    .default([])
    .describe('The agents that it hands work to.'),
  maxIterations: count('expected a whole number of model calls')
    .default(50)
    .describe('Model calls in one turn.'),
  permissions: agentPermissions
    .optional()
    .describe("Narrows what it may do; nothing here gives more than its parent's rights."),
  structuredOutput: z
    .strictObject({ name, schema: z.record(z.string(), z.json()) })
    .optional()
    .describe('The JSON Schema of its last answer.'),
});

/** `agent.yaml`. */
export const agentFileSchema = z.strictObject({
  version: z.literal(1, { error: 'expected version: 1' }).default(1),
  agents: z
    .array(agentSchema, { error: 'expected a list of agents' })
    .min(1, { error: 'expected at least one agent' })
    .describe('They form one tree by subAgents; the one that nobody names is the root.'),
  models: z.record(name, modelSchema).default({}).describe('Models by a name of your own.'),
  toolsets: z.record(name, toolsetSchema).default({}).describe('Sets of tools by a name of your own.'),
  permissions: policySchema
    .optional()
    .describe('Rules of the project. Its allow rules count once the folder is trusted.'),
});

/** What an agent file says, defaults filled in. */
export type AgentFileContent = z.output<typeof agentFileSchema>;

/** The JSON Schema of agent files, for editors. */
export function agentFileJsonSchema(): object {
  return { title: 'Quartermaster agents (agent.yaml)', ...z.toJSONSchema(agentFileSchema, { io: 'input' }) };
}
