import { z } from 'zod';

const text = (error: string): z.ZodString => z.string({ error }).regex(/\S/, { error });
const capability = text('expected a capability such as filesystem.write, filesystem.* or *');

/** One entry of the list. */
export const policyRuleSchema = z.strictObject({
  allow: capability.optional().describe('The capability that this rule allows.'),
  ask: capability.optional().describe('The capability that this rule asks about.'),
  deny: capability.optional().describe('The capability that this rule denies; stronger than all others.'),
  target: text('expected a pattern; * for any')
    .default('*')
    .describe(
      'What it is used on. Paths: /etc/**, ~/.ssh/**, docs/*.md (in the workspace). URLs: https://*.example.com. ' +
        'Commands: git log *. Else a text with * for any run of characters.',
    ),
  because: text('expected a reason').optional().describe('Shown whenever the rule decides.'),
});

/** A policy file. */
export const policySchema = z.strictObject({
  rules: z
    .array(policyRuleSchema, { error: 'expected a list of rules' })
    .default([])
    .describe('In any order: deny beats ask beats allow.'),
});

/** The keys that name an answer; each rule has exactly one of them. */
export const answerKeys = ['allow', 'ask', 'deny'] as const;

/** The JSON Schema of policy files, for editors. */
export function policyJsonSchema(): object {
  const schema = z.toJSONSchema(policySchema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === policyRuleSchema) jsonSchema.oneOf = answerKeys.map((key) => ({ required: [key] }));
    },
  });
  return { title: 'Quartermaster permission policy', ...schema };
}
