export type { Bill, SimulatedRequest } from './bill.ts';
export type { ApiName, Conversation, Turn } from './conversation.ts';
export type { SimulatorMode } from './anthropic/neighbour.ts';
export type { SimulatorOptions } from './options.ts';
export type { ScriptStep, ScriptedCall } from './script-step.ts';
export { createSimulator } from './simulator.ts';
export type { Simulator } from './simulator.ts';
