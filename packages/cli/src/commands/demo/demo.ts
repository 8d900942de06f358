import type { Surroundings } from '../../surroundings.ts';
import type { CommandOptions } from '../setting-flags.ts';

export async function runDemo(_: CommandOptions, surroundings: Surroundings): Promise<void> {
  surroundings.err.write('not yet\n');
}
