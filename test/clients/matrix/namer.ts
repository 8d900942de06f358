import type { Room } from './driver.ts';

/** Gives what differs between two runs of one story the same name in both. */
export type Namer = (text: string) => string;

const ids = [
  /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  /\b(?:toolu|srvtoolu|msg|req|ses|prt|call|tool|agent)_[A-Za-z0-9]{12,}\b/g,
  /\baitxt-\w{12,}/g,
  /\ba?[0-9a-f]{16,64}\b/g,
  // An entry of a session of pi is named by so few digits that only a whole text is taken for one.
  /^[0-9a-f]{8}$/g,
  // What Claude Code calls a session when it speaks of it.
  /[\w-]+-[0-9a-f]{1,2} \[[0-9a-f]{6}\]/g,
];

/** Counts of tokens and of time, as the clients write them into texts. */
const usage = new RegExp(
  [
    String.raw`\b\w*(?:tokens|duration_ms): \d+`,
    String.raw`\d+ tokens left`,
    String.raw`<(?:total_tokens|duration_ms)>\d+`,
    String.raw`\(\d+ -> ~\d+\)`,
  ].join('|'),
  'g',
);

/** Ids get numbers in the order in which they first stand; times, durations and places get one name each. */
export function createNamer({ home, workFolder, baseUrl }: Room): Namer {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`;
    names.set(id, name);
    return name;
  };
  return (text) =>
    ids
      .reduce((named, pattern) => named.replaceAll(pattern, nameOf), text)
      .replaceAll(workFolder, '<work>')
      .replaceAll(home, '<home>')
      .replaceAll(/qm-matrix-\w{6}/g, '<folder>')
      .replaceAll(baseUrl, '<provider>')
      .replaceAll(new URL(baseUrl).host, '<provider>')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>')
      .replaceAll(usage, '<usage>')
      .replaceAll(/\d+\.sock\b/g, '<socket>')
      .replaceAll(/\b1[78]\d{11}(?:\.\d+)?\b/g, '<time>')
      .replaceAll(/\b\d+(?:\.\d+)? ?(?:m?s|seconds)\b/g, '<duration>');
}
