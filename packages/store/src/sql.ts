/** What a column can hold. Times are whole numbers of milliseconds. */
export type SqlValue = string | number | null;

/** A statement or a part of one: `values[i]` stands between `texts[i]` and `texts[i + 1]`. Made by `sql` only. */
export interface Sql {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
}

/** The one way to write a statement: every `${value}` is bound, never spliced in; a nested `Sql` keeps its own. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  const joined = [texts[0] ?? ''];
  const values: SqlValue[] = [];
  for (const [index, part] of parts.entries()) {
    const [opening, ...inner] = isSql(part) ? part.texts : ['', ''];
    const after = texts[index + 1] ?? '';
    append(joined, opening ?? '');
    joined.push(...inner);
    append(joined, after);
    values.push(...(isSql(part) ? part.values : [part]));
  }
  return { texts: joined, values };
}

/** The text to prepare, with `placeholder(1)`, `placeholder(2)`… where the values stand. */
export function sqlText(statement: Sql, placeholder: (position: number) => string): string {
  return statement.texts.reduce((text, part, position) => text + placeholder(position) + part);
}

function append(texts: string[], more: string): void {
  texts.push((texts.pop() ?? '') + more);
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === 'object' && part !== null;
}
