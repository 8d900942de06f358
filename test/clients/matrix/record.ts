import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { Cell } from './cell.ts';

/** What the last full run of each client showed. */
export interface MatrixRecord {
  readonly rows: readonly MatrixRow[];
}

export interface MatrixRow {
  /** With its version. */
  readonly client: string;
  readonly commit: string;
  /** Day of the run, UTC. */
  readonly date: string;
  /** By the title of the story. */
  readonly cells: Readonly<Record<string, Cell>>;
}

const file = new URL('../../../docs/measured/clients.json', import.meta.url);

export async function readRecord(): Promise<MatrixRecord> {
  return JSON.parse(await readFile(file, 'utf8')) as MatrixRecord;
}

/** Puts a client's row in the place of the one before; `order` is that of the matrix. */
export async function saveRow(
  client: string,
  cells: MatrixRow['cells'],
  order: readonly string[],
): Promise<MatrixRecord> {
  const { rows } = await readRecord().catch((): MatrixRecord => ({ rows: [] }));
  const row: MatrixRow = {
    client,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString().slice(0, 10),
    cells,
  };
  const kept = [...rows.filter((one) => one.client !== client && order.includes(one.client)), row];
  const record = { rows: kept.toSorted((a, b) => order.indexOf(a.client) - order.indexOf(b.client)) };
  await writeFile(file, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}
