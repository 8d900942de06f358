/** A plain table, columns two spaces apart, each as wide as its widest cell; `right` names columns of numbers. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { readonly right?: readonly number[] } = {},
): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = [head, widths.map((width) => '─'.repeat(width)), ...rows].map((row) => {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? '';
      return options.right?.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ').trimEnd();
  });
  return `${lines.join('\n')}\n`;
}
