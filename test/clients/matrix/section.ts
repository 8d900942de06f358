import { readFile, writeFile } from 'node:fs/promises';
import type { Cell } from './cell.ts';
import type { MatrixRecord } from './record.ts';

const file = new URL('../../../docs/clients.md', import.meta.url);
const begin = '<!-- The matrix: written by npm run test:clients. -->';
const end = '<!-- End of the matrix. -->';

/** The generated section of docs/clients.md, as it stands there. */
export async function readSection(): Promise<string> {
  const page = await readFile(file, 'utf8');
  return page.slice(page.indexOf(begin) + begin.length, page.indexOf(end)).trim();
}

export async function writeSection(record: MatrixRecord, stories: readonly string[]): Promise<void> {
  const page = await readFile(file, 'utf8');
  const [before = '', after = ''] = [page.split(begin)[0], page.split(end)[1]];
  const section = formatMatrix(record, stories);
  await writeFile(file, `${before}${begin}\n\n${section}\n\n${end}${after}`);
}

/** One row a client, one column a story, and the notes that the cells point to. */
export function formatMatrix({ rows }: MatrixRecord, stories: readonly string[]): string {
  const notes = new Map<string, number>();
  const noteOf = (text: string): string => {
    const number = notes.get(text) ?? notes.size + 1;
    notes.set(text, number);
    return `<sup>${number}</sup>`;
  };
  const lines = rows.map(({ client, cells }) => {
    const marks = stories.map((story) => markOf(cells[story], noteOf));
    return `| ${[client, mostDeferred(Object.values(cells)), ...marks].join(' | ')} |`;
  });
  return [
    `| ${['client', 'deferred', ...stories].join(' | ')} |`,
    `|${['---', '--:', ...stories.map(() => ':-:')].join('|')}|`,
    ...lines,
    '',
    ...[...notes].map(([text, number]) => `${number}. ${text}`),
    '',
    summaryOf(rows.flatMap(({ cells }) => Object.values(cells))),
  ].join('\n');
}

function markOf(cell: Cell | undefined, noteOf: (text: string) => string): string {
  if (cell === undefined) return '?';
  switch (cell.type) {
    case 'same':
      return '=';
    case 'explained':
      return `=${noteOf(cell.why)}`;
    case 'differs':
      return `**≠**${noteOf(cell.differences.join('; '))}`;
    case 'absent':
      return `–${noteOf(cell.why)}`;
  }
}

function mostDeferred(cells: readonly Cell[]): string {
  const counts = cells.flatMap((cell) => ('deferred' in cell ? [cell.deferred] : []));
  return counts.length === 0 ? '–' : String(Math.max(...counts));
}

function summaryOf(cells: readonly Cell[]): string {
  const count = (type: Cell['type']): number => cells.filter((cell) => cell.type === type).length;
  return `${count('same')} alike, ${count('explained')} as a rule demands, ${count('differs')} different, ${count('absent')} where the client takes no part.`;
}
