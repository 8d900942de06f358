import type { RequirementPage } from './requirement.ts';

const commandLineTests = 'packages/cli/test/command-line.test.ts';
const accountCommandTests = 'packages/cli/test/account-commands.test.ts';
const demoTests = 'packages/cli/test/demo.test.ts';
const gatewayCommandTests = 'packages/cli/test/gateway-command.test.ts';
const simulateTests = 'packages/cli/test/simulate.test.ts';

/** The rules of the page `operate`. */
export const operate: RequirementPage = {
  page: 'operate',
  requirements: [
    {
      id: 'operate:qm gateway',
      shownBy: [
        { file: gatewayCommandTests, test: 'PR1: starts in observe' },
        { file: gatewayCommandTests, test: 'forwards to the upstream of the flag' },
        { file: gatewayCommandTests, test: 'a port in use' },
        { file: commandLineTests, test: 'every command has --json' },
      ],
    },
    { id: 'operate:qm run claude|codex|opencode|…', open: 'not filed yet: launching clients' },
    {
      id: 'operate:qm demo',
      shownBy: [
        { file: demoTests, test: '--json prints one object' },
        { file: demoTests, test: 'prints a table of the sessions' },
        { file: demoTests, test: '--serve keeps gateway' },
      ],
    },
    { id: 'operate:qm doctor', open: 'not filed yet: proves tool search end to end' },
    { id: 'operate:qm tools', open: 'not filed yet: reads history and ledger' },
    { id: 'operate:qm replay FILE…', open: 'not filed yet: reads history and ledger' },
    {
      id: 'operate:qm stats, qm sessions, qm threads SESSION',
      open: 'not filed yet: qm sessions; qm stats and qm threads are there',
    },
    {
      id: 'operate:qm preset [NAME], qm keep TOOL, qm remove TOOL',
      shownBy: [
        { file: accountCommandTests, test: 'PR1: shows the preset' },
        { file: accountCommandTests, test: 'RU4, PR2: put a tool on the list' },
        { file: accountCommandTests, test: 'qm %s %s: exit code 1' },
      ],
    },
    { id: 'operate:qm keys create|list|revoke, qm purge', open: 'not filed yet: tenants and purge' },
    {
      id: 'operate:qm simulate',
      shownBy: [
        { file: simulateTests, test: 'prints its URL, answers without a network' },
        { file: simulateTests, test: '--tokens bytes counts' },
      ],
    },
    {
      id: 'operate:qm agent …, qm serve …, qm jobs …, qm models',
      open: 'not filed yet: the runtime’s commands',
    },
  ],
};
