export type { Client, FaultHabits, SessionPlace } from './clients/client.ts';
export { knownClients, recogniseClient } from './clients/table.ts';
export { GatewayError, type GatewayErrorCode, type ErrorTraits, gatewayErrors } from './errors.ts';
export { createGateway } from './gateway.ts';
export type { AbsentStore, Clock, Gateway, GatewayLimits, GatewayOptions, Log, Preset } from './options.ts';
export { defaultLimits } from './options.ts';
