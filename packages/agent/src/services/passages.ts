/** Long enough to answer a question, short enough that several fit into a prompt; in characters. */
const passageLength = 1_200;

/** The parts of a text that are found by themselves: paragraphs together up to the length, longer ones cut at a space. */
export function splitPassages(text: string, maxLength = passageLength): readonly string[] {
  const passages: string[] = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    for (const piece of cut(paragraph.trim(), maxLength)) {
      const joined = `${passages.at(-1) ?? ''}\n\n${piece}`;
      if (passages.length > 0 && joined.length <= maxLength) passages[passages.length - 1] = joined;
      else passages.push(piece);
    }
  }
  return passages;
}

function* cut(paragraph: string, maxLength: number): Generator<string> {
  let rest = paragraph;
  while (rest.length > maxLength) {
    const end = endOfPiece(rest, maxLength);
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') yield rest;
}

/** Behind the last space in the second half, else at the length, but never inside a surrogate pair. */
function endOfPiece(text: string, maxLength: number): number {
  const space = Math.max(text.lastIndexOf(' ', maxLength), text.lastIndexOf('\n', maxLength));
  if (space > maxLength / 2) return space + 1;
  return /[\uD800-\uDBFF]/.test(text[maxLength - 1] ?? '') ? maxLength - 1 : maxLength;
}
