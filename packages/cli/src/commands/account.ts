import { z } from 'zod';
import { CliError } from '../errors.ts';

const accountSchema = z.object({
  preset: z.string(),
  toolfilter: z.object({ remove: z.array(z.string()), keep: z.array(z.string()) }),
  is_durable: z.boolean(),
});

/** The settings of the account, as the gateway answers them. */
export type Account = z.output<typeof accountSchema>;

/** Raises `CLI_GATEWAY_REFUSED` where the answer is of another making. */
export function readAccount(answer: unknown): Account {
  const parsed = accountSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CliError(
    'CLI_GATEWAY_REFUSED',
    'expected the settings of an account, got something else; is the gateway of this version?',
  );
}

/** A line for whoever would look for the setting after a restart; empty where it will be there. */
export function noteOfMemory({ is_durable: isDurable }: Account): string {
  return isDurable ? '' : 'The gateway has no store: this holds until it stops.\n';
}
