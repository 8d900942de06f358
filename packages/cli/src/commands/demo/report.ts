import { formatTable } from '../../table.ts';
import type { DemoResult } from './measure.ts';
import { demoModel } from './scripted-client.ts';

interface ReportOptions {
  /** Tools that the model found by search. */
  readonly found: readonly string[];
  readonly served: { readonly gatewayUrl: string; readonly simulatorUrl: string } | undefined;
}

const tiers = [
  ['cacheWriteShortUsd', 'cache writes'],
  ['cacheReadUsd', 'cache reads'],
  ['inputUsd', 'fresh input'],
  ['outputUsd', 'output'],
] as const;

/** The result for people. */
export function formatReport(result: DemoResult, { found, served }: ReportOptions): string {
  const parts = [
    'Four sessions of a coding agent, played twice: straight, and through the gateway (preset ultrahigh).\n',
    formatSessions(result),
    `${describeLast(result, found)}\n`,
    formatBill(result),
    `${explainSimulation}\n`,
    ...(served === undefined ? [] : [describeServed(served)]),
  ];
  return parts.join('\n');
}

function formatSessions({ sessions }: DemoResult): string {
  const head = ['session', 'tools', 'deferred', 'prefix without', 'prefix with', 'written', 'read'];
  const rows = sessions.map((row) => [
    String(row.session),
    String(row.toolsDeclared),
    String(row.toolsDeferred),
    tokens(row.prefixTokensWithout),
    tokens(row.prefixTokensWith),
    tokens(row.prefixTokensWritten),
    tokens(row.prefixTokensRead),
  ]);
  return formatTable(head, rows, { right: [1, 2, 3, 4, 5, 6] });
}

function describeLast({ sessions }: DemoResult, found: readonly string[]): string {
  const last = sessions.at(-1);
  if (last === undefined) return '';
  const saved = 1 - last.prefixTokensWith / last.prefixTokensWithout;
  const lines = [
    `After three sessions the gateway knows what is never used: session ${last.session} starts with ${percent(saved)} less.`,
    found.length > 0
      ? `It then needed ${found.join(', ')}, which was deferred: the model found it by search and called it.`
      : '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function formatBill({ billUsdWithout, billUsdWith, billByTier }: DemoResult): string {
  const rows = tiers.map(([tier, name]) => [name, usd(billByTier.without[tier]), usd(billByTier.with[tier])]);
  const total = ['total', usd(billUsdWithout), usd(billUsdWith)];
  return formatTable(['bill in USD', 'without', 'with'], [...rows, total], { right: [1, 2] });
}

const explainSimulation = [
  `Simulated: the provider (rules, cache and list prices of ${demoModel}) and the agent, which follows a script and`,
  "declares 21 tools in our words, two fifths of the size of a real agent's. Real: the gateway and every byte that it",
  'changed; its own check of the provider is on its bill. The sessions are two hours apart, so each starts with a cold',
  'cache; with a warm one less money is saved, and the same room in the context.',
].join('\n');

function describeServed({
  gatewayUrl,
  simulatorUrl,
}: {
  readonly gatewayUrl: string;
  readonly simulatorUrl: string;
}): string {
  const lines = [
    `The gateway stays up on ${gatewayUrl} (figures: ${gatewayUrl}/stats),`,
    `the simulated provider on ${simulatorUrl} (bill: ${simulatorUrl}/_simulator/requests). Ctrl-C stops both.`,
  ];
  return `${lines.join('\n')}\n`;
}

function tokens(count: number): string {
  return count.toLocaleString('en-US');
}

function usd(amount: number): string {
  return amount.toFixed(4);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
