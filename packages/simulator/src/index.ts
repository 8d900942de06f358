export type { Bill, SimulatedRequest } from './bill.ts';
export type { SimulatorMode } from './neighbour.ts';
export type { SimulatorOptions } from './options.ts';
export { createSimulator } from './simulator.ts';
export type { Simulator } from './simulator.ts';
