import { pino } from 'pino';
import type { Config } from './config/schema.ts';
import type { Log } from '@quartermaster/gateway';
import type { Output } from './surroundings.ts';

type Level = Config['log']['level'];

export interface LogOptions {
  /** Least severe line that is written. */
  readonly level: Level;
  readonly output: Output;
  readonly clock: { now(): number };
}

/** Lines of text for a person at a terminal, JSON lines for everything else. */
export function createLog(options: LogOptions): Log {
  return options.output.isTerminal ? createTextLog(options) : createJsonLog(options);
}

function createJsonLog({ level, output, clock }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => output.write(line) },
  );
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly Level[];

function createTextLog({ level, output, clock }: LogOptions): Log {
  const least = levels.indexOf(level);
  const writer = (name: Level) => (facts: object, message: string) => {
    if (levels.indexOf(name) < least) return;
    const time = new Date(clock.now()).toTimeString().slice(0, 8);
    output.write([time, name.padEnd(5), message, ...Object.entries(facts).map(showFact)].join(' ') + '\n');
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

/** Quoted where it is not one plain word, so that no fact can break the line. */
function showFact([name, value]: readonly [string, unknown]): string {
  const text = value instanceof Error ? value.message : value;
  const isPlain = typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);
  return `${name}=${isPlain ? text : JSON.stringify(text)}`;
}
