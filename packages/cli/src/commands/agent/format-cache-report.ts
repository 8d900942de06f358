import type { CacheBreak, CachedAnswer, CacheReport } from '@quartermaster/runtime';
import { formatTable } from '../../table.ts';

const head = [
  'answer',
  'agent',
  'model',
  'fresh',
  'read',
  'written',
  'why the prefix moved',
  'outdated tools',
];

/** A row an answer; a sub-agent's are indented. A `?` is what the vendor did not tell. */
export function formatCacheReport({ answers }: CacheReport): string {
  return formatTable(head, answers.map(toRow), { right: [0, 3, 4, 5] });
}

function toRow(
  { agent, depth, model, tokens, breaks, outdated }: CachedAnswer,
  index: number,
): readonly string[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  const counts = [inputTokens, cacheReadTokens, cacheWriteTokens].map((count) => String(count ?? '?'));
  const who = `${'  '.repeat(depth)}${agent}`;
  return [String(index + 1), who, model.id, ...counts, explainBreaks(breaks), outdated.join(', ')];
}

/** What moves a prefix, for people; the tools that it was come after it. */
const causes: Readonly<Record<CacheBreak['cause'], string>> = {
  model: 'another model',
  compaction: 'compaction',
  agent: 'the agent was changed',
  'no-success': 'came before any call had succeeded',
  'left-inline': 'moved to where a call has succeeded since',
  sent: 'came after the result that they belong to was sent',
  list: 'the model takes new tools in its list alone',
};

function explainBreaks(breaks: readonly CacheBreak[]): string {
  return [...Map.groupBy(breaks, ({ cause }) => cause)]
    .map(([cause, group]) => {
      const tools = group.flatMap((one) => ('tool' in one ? [one.tool] : []));
      return tools.length === 0 ? causes[cause] : `${causes[cause]}: ${tools.join(', ')}`;
    })
    .join('; ');
}
