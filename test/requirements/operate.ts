import type { RequirementPage } from './requirement.ts';

/** The rules of the page `operate`. */
export const operate: RequirementPage = {
  page: 'operate',
  requirements: [
    { id: 'operate:qm gateway', open: 'GW-1: in work' },
    { id: 'operate:qm run claude|codex|opencode|…', open: 'GW-3: launching clients' },
    { id: 'operate:qm demo', open: 'GW-1: in work' },
    { id: 'operate:qm doctor', open: 'GW-3: proves tool search end to end' },
    { id: 'operate:qm tools', open: 'GW-2: reads history and ledger' },
    { id: 'operate:qm replay FILE…', open: 'GW-2: reads history and ledger' },
    { id: 'operate:qm stats, qm sessions, qm threads SESSION', open: 'GW-2: reads history and ledger' },
    { id: 'operate:qm preset [NAME], qm keep TOOL, qm remove TOOL', open: 'GW-2: settings of the account' },
    { id: 'operate:qm keys create|list|revoke, qm purge', open: 'not filed yet: tenants and purge' },
    { id: 'operate:qm simulate', open: 'GW-1: in work' },
    {
      id: 'operate:qm agent …, qm serve …, qm jobs …, qm models',
      open: 'not filed yet: the runtime’s commands',
    },
  ],
};
