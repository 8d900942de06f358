/** What one bench found: data for programs, lines for people. */
export interface BenchResult {
  readonly figures: object;
  readonly lines: readonly string[];
}

/** The value that `share` (0–1) of the others are below; NaN for none. Input in any order. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Three significant digits: what a shared machine can promise at best. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** Columns of equal width, the first one to the left. */
export function table(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(String));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? '').length)),
  );
  return cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}
