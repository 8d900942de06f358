/** A test of texts against a pattern in which `*` stands for any run of characters; linear in the text. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let position = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, position);
      if (found === -1) return false;
      position = found + part.length;
    }
    return position <= text.length - last.length; // no character is of two parts
  };
}
