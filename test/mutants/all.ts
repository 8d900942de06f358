import { accountMutants } from './account.ts';
import { agentMutants } from './agent.ts';
import { deferralMutants } from './deferral.ts';
import { gatewayMutants } from './gateway.ts';
import { ledgerMutants } from './ledger.ts';
import { mcpMutants } from './mcp.ts';
import { modelMutants, settingsMutants } from './models.ts';
import type { Mutant } from './mutant.ts';
import { permissionMutants } from './permissions.ts';
import { providerMutants } from './providers.ts';
import { refusalMutants } from './refusals.ts';
import { sessionDeferralMutants } from './session-deferral.ts';
import { sessionMutants } from './sessions.ts';
import { simulatorMutants } from './simulator.ts';
import { steadinessMutants } from './steadiness.ts';
import { turnMutants } from './turns.ts';

/** The named mutants: each takes one promised check out. */
export const mutants: readonly Mutant[] = [
  ...deferralMutants,
  ...gatewayMutants,
  ...ledgerMutants,
  ...refusalMutants,
  ...accountMutants,
  ...steadinessMutants,
  ...agentMutants,
  ...permissionMutants,
  ...settingsMutants,
  ...modelMutants,
  ...sessionDeferralMutants,
  ...turnMutants,
  ...mcpMutants,
  ...sessionMutants,
  ...providerMutants,
  ...simulatorMutants,
];
