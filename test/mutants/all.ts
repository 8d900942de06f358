import { accountMutants } from './account.ts';
import { agentMutants } from './agent.ts';
import { deferralMutants } from './deferral.ts';
import { gatewayMutants } from './gateway.ts';
import { ledgerMutants } from './ledger.ts';
import { modelMutants, settingsMutants } from './models.ts';
import type { Mutant } from './mutant.ts';
import { permissionMutants } from './permissions.ts';
import { refusalMutants } from './refusals.ts';
import { searchTurnMutants } from './search-turns.ts';
import { steadinessMutants } from './steadiness.ts';

/** The named mutants: each takes one promised check out. */
export const mutants: readonly Mutant[] = [
  ...deferralMutants,
  ...gatewayMutants,
  ...ledgerMutants,
  ...refusalMutants,
  ...accountMutants,
  ...steadinessMutants,
  ...searchTurnMutants,
  ...agentMutants,
  ...permissionMutants,
  ...settingsMutants,
  ...modelMutants,
];
