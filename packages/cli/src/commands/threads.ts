import { z } from 'zod';
import { CliError } from '../errors.ts';
import { createGatewayClient } from '../gateway-client.ts';
import type { Surroundings } from '../surroundings.ts';
import { formatTable } from '../table.ts';
import type { CommandOptions } from './setting-flags.ts';

const answerSchema = z.object({
  threads: z.array(
    z.object({
      agent: z.string(),
      decided_at: z.string(),
      decision: z.string(),
      reason: z.string().optional(),
      reasons: z.record(z.string(), z.string()),
    }),
  ),
});

type Thread = z.output<typeof answerSchema>['threads'][number];

/** `qm threads SESSION`: what was decided for each conversation of a session, and why. */
export async function runThreads(
  session: string,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const client = createGatewayClient(options, surroundings);
  const answer = await client.ask('GET', `/api/v1/threads?session=${encodeURIComponent(session)}`);
  const { threads } = answerSchema.parse(answer);
  if (threads.length === 0) {
    throw new CliError(
      'CLI_UNKNOWN_SESSION',
      `expected the id of a session that the gateway at ${client.url} has seen, came "${session}"; Claude Code shows its own with /status.`,
    );
  }
  const { out } = surroundings;
  out.write(options['json'] === true ? `${JSON.stringify(answer)}\n` : threads.map(format).join('\n'));
}

const decisions: Readonly<Record<string, string>> = {
  nothing: 'goes as the client sends it',
  remove: 'leaves tools out',
  defer: 'defers tools',
};

function format({ agent, decided_at: decidedAt, decision, reason, reasons }: Thread): string {
  const why = reason === undefined ? '' : ` (not deferred: ${reason})`;
  const heading = `${agent}: ${decisions[decision] ?? decision}${why}, decided ${decidedAt}\n`;
  const rows = Object.entries(reasons).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return rows.length === 0 ? heading : `${heading}\n${formatTable(['tool', 'why'], rows)}`;
}
