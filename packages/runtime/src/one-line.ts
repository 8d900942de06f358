/** The first words of a text on one line, of at most `maxLength` characters and a sign that more was there. */
export function oneLine(text: string, { maxLength }: { readonly maxLength: number }): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, ''); // never half of a character
  const words = cut.replace(/ \S*$/, '');
  return `${words}…`;
}
