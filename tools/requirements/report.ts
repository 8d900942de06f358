import type { RequirementPage } from '../../test/requirements/requirement.ts';

/** The open requirements, `id — reason`, grouped by page, and a last line `rules: N, shown: M, open: K`. */
export function formatReport(pages: readonly RequirementPage[]): string {
  const groups = pages.map(formatPage).filter((group) => group !== '');
  const rules = pages.flatMap((page) => page.requirements);
  const open = rules.filter((rule) => 'open' in rule).length;
  return [...groups, `rules: ${rules.length}, shown: ${rules.length - open}, open: ${open}\n`].join('\n');
}

function formatPage({ page, requirements }: RequirementPage): string {
  const lines = requirements.flatMap((rule) => ('open' in rule ? [`  ${rule.id} — ${rule.open}\n`] : []));
  return lines.length === 0 ? '' : `${page}\n${lines.join('')}`;
}
