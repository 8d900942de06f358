import { describe, expect, test } from 'vitest';
import { createLog, type LogOptions } from '../src/log.ts';

function record(options: Pick<LogOptions, 'level'> & { readonly isTerminal: boolean }) {
  const lines: string[] = [];
  const output = { isTerminal: options.isTerminal, write: (text: string) => void lines.push(text) };
  const log = createLog({ level: options.level, output, clock: { now: () => Date.UTC(2026, 10, 30, 12) } });
  return { log, lines };
}

describe('log lines', () => {
  test('are JSON where no person reads them', () => {
    const { log, lines } = record({ level: 'info', isTerminal: false });
    log.info({ thread: 't1' }, 'decided');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { level: 'info', time: '2026-11-30T12:00:00.000Z', thread: 't1', msg: 'decided' },
    ]);
  });

  test('are one line of text at a terminal, whatever the facts hold', () => {
    const { log, lines } = record({ level: 'info', isTerminal: true });
    log.warn({ a: 'plain', b: 'two\nlines', c: 3, d: new Error('broke') }, 'careful');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}careful a=plain b="two\\nlines" c=3 d=broke\n$/);
  });

  test.each([true, false])('below the level are left out (terminal: %s)', (isTerminal) => {
    const { log, lines } = record({ level: 'warn', isTerminal });
    log.debug({}, 'x');
    log.info({}, 'x');
    log.error({}, 'x');
    expect(lines).toHaveLength(1);
    const silent = record({ level: 'silent', isTerminal });
    silent.log.error({}, 'x');
    expect(silent.lines).toEqual([]);
  });
});
