/** Tables without numbered rules whose rows are requirements too, by page: the text of their first column's head. */
const namedTables: Readonly<Record<string, readonly string[]>> = {
  'gateway-deferral': ['route'],
  operate: ['command'],
  'runtime-surfaces': ['surface'],
  'session-deferral': ['event', 'mode'],
};

const ruleNumber = /^[A-Z]{1,2}\d+$/;

/**
 * The ids of the requirements on a page, in its order: the numbers of its rules, whether they stand in a table's first
 * column or bold in running text, and `rowId` of each row of its named tables.
 */
export function requirementIdsOf(page: string, markdown: string): string[] {
  const ids: string[] = [];
  let tableHead: string | undefined;
  for (const line of markdown.split('\n')) {
    const cell = firstCellOf(line);
    if (cell === undefined) {
      tableHead = undefined;
      ids.push(...boldNumbersIn(line));
    } else if (tableHead === undefined) {
      tableHead = cell;
    } else if (ruleNumber.test(cell)) {
      ids.push(cell);
    } else if (namedTables[page]?.includes(tableHead) && !/^:?-+:?$/.test(cell)) {
      ids.push(rowId(page, cell));
    }
  }
  return ids;
}

/** `page:first cell`, the cell without marks of code and emphasis. */
export function rowId(page: string, cell: string): string {
  return `${page}:${cell.replaceAll(/`|\*\*/g, '').trim()}`;
}

/** The first cell of a table's line; a `\|` in it is a bar of its text. */
function firstCellOf(line: string): string | undefined {
  return /^\|((?:\\\||[^|])*)\|/.exec(line)?.[1]?.replaceAll('\\|', '|').trim();
}

function boldNumbersIn(line: string): string[] {
  return [...line.matchAll(/\*\*([^*]+)\*\*/g)]
    .map(([, text]) => text ?? '')
    .filter((text) => ruleNumber.test(text));
}
