import type { UserMessage } from '@quartermaster/agent/messages';

/** What a user said, without blank texts, which vendors refuse; a message of nothing else says that it is none. */
export function textsOf({ content }: UserMessage): readonly string[] {
  const said = content.map(({ text }) => text).filter((text) => text.trim() !== '');
  return said.length === 0 ? ['(nothing)'] : said;
}
