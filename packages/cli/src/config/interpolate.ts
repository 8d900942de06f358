/** The environment, as `process.env` gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Interpolated =
  | { readonly type: 'text'; readonly text: string; readonly isChanged: boolean }
  | { readonly type: 'unset' | 'empty'; readonly variable: string };

/**
 * Puts environment variables in the place of `${NAME}`; `$${` stands for a plain `${`.
 * A variable without a value is never taken for an empty text (case 113). White space around a value is dropped.
 */
export function interpolate(text: string, env: Environment): Interpolated {
  let isChanged = false;
  let missing: Interpolated | undefined;
  const replaced = text.replace(
    /\$(\$\{)|\$\{([^}]*)\}/g,
    (_, escaped: string | undefined, variable: string) => {
      isChanged = true;
      if (escaped !== undefined) return escaped;
      const value = env[variable]?.trim();
      if (value === undefined || value === '')
        missing ??= { type: value === '' ? 'empty' : 'unset', variable };
      return value ?? '';
    },
  );
  return missing ?? { type: 'text', text: replaced, isChanged };
}
