const maxTitleLength = 60;

/** The first words of what a user says, on one line: the title of a session until it is given another. */
export function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxTitleLength) return line;
  const cut = line.slice(0, maxTitleLength).replace(/[\uD800-\uDBFF]$/, '');
  const words = cut.replace(/ \S*$/, '');
  return `${words}…`;
}
