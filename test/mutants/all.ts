import { agentMutants } from './agent.ts';
import { deferralMutants } from './deferral.ts';
import { gatewayMutants } from './gateway.ts';
import { ledgerMutants } from './ledger.ts';
import type { Mutant } from './mutant.ts';

/** The named mutants: each takes one promised check out. */
export const mutants: readonly Mutant[] = [
  ...deferralMutants,
  ...gatewayMutants,
  ...ledgerMutants,
  ...agentMutants,
];
