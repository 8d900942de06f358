import { agentCore } from '../../test/requirements/agent-core.ts';
import { gatewayDeferral } from '../../test/requirements/gateway-deferral.ts';
import { operate } from '../../test/requirements/operate.ts';
import { runtimeSurfaces } from '../../test/requirements/runtime-surfaces.ts';
import type { RequirementPage } from '../../test/requirements/requirement.ts';
import { sessionDeferral } from '../../test/requirements/session-deferral.ts';

/** Every page of the specification with its requirements. */
export const requirementPages: readonly RequirementPage[] = [
  gatewayDeferral,
  operate,
  agentCore,
  sessionDeferral,
  runtimeSurfaces,
];
