import { AgentError } from '../agent-error.ts';

/** Values by name, as `process.env` holds them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Puts the values in the place of `${NAME}`; `$${` stands for a plain `${`. Throws `TEMPLATE_UNSET` that names every
 * variable without a value: an empty text is none, and white space around a value is no part of it (C4).
 */
export function fillTemplate(template: string, variables: Variables): string {
  const missing = new Set<string>();
  const filled = template.replaceAll(
    /\$(\$\{)|\$\{([^}]*)\}/g,
    (_, escaped: string | undefined, name: string | undefined = '') => {
      if (escaped !== undefined) return escaped;
      const value = Object.hasOwn(variables, name) ? (variables[name]?.trim() ?? '') : '';
      if (value === '') missing.add(name);
      return value;
    },
  );
  if (missing.size === 0) return filled;
  throw new AgentError(
    'TEMPLATE_UNSET',
    `Expected values for ${[...missing].join(', ')}; they are unset or empty. Set them, or write the text out.`,
  );
}
