import { isDeepStrictEqual } from 'node:util';
import { createToolRegistry, registerTool } from '@quartermaster/agent';
import { callTool } from '@quartermaster/agent/engine';
import type { Tool, ToolGate, ToolRegistry } from '@quartermaster/agent';
import type { ToolOutcome } from '@quartermaster/agent/engine';
import { createApprovals, createGate, hashInput } from '@quartermaster/agent/permissions';
import type { ApprovalRequest, GateOptions, PermissionEngine } from '@quartermaster/agent/permissions';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { engineOf, rule } from './engine.ts';

interface Stage {
  readonly registry: ToolRegistry;
  readonly engine: PermissionEngine;
  readonly tool: Tool;
  readonly ran: string[];
}

const session = { app: 'app', user: 'ann', session: 'ses' };

function definition(ran: string[], description = 'Sends a mail.') {
  return {
    name: 'send',
    description,
    inputSchema: z.object({ to: z.string() }),
    capabilities: [{ capability: 'mail.send', target: { argument: 'to' } }],
    run: ({ to }: { to: string }) => ran.push(to),
  } as const;
}

function stage(...rules: readonly string[]): Stage {
  const ran: string[] = [];
  const registry = createToolRegistry();
  return { ran, registry, engine: engineOf(rules), tool: registerTool(registry, definition(ran)) };
}

function gateOf({ engine, registry }: Stage, options: Partial<GateOptions> = {}): ToolGate {
  return createGate(engine, registry, { approvals: createApprovals(), ...options });
}

function send(
  { registry, tool }: Stage,
  gate: ToolGate,
  to: unknown = 'a@x.org',
  callId = 'call-1',
): Promise<ToolOutcome> {
  const { signal } = new AbortController();
  return callTool(tool, { callId, session, input: { to }, signal }, { registry, gate, services: {} });
}

describe('P7: the gate where tools are dispatched', () => {
  test('P7: what is allowed runs, what is denied does not', async () => {
    const open = stage('allow mail.send', 'deny mail.send: b@*');
    expect((await send(open, gateOf(open))).type).toBe('completed');
    expect(await send(open, gateOf(open), 'b@x.org')).toMatchObject({ type: 'denied' });
    expect(open.ran).toEqual(['a@x.org']);
  });

  test('P7: a denial takes effect at the next call of the same turn', async () => {
    const open = stage('allow mail.send');
    const gate = gateOf(open);
    expect((await send(open, gate)).type).toBe('completed');
    open.engine.addRules([rule('deny mail.send', { source: 'session' })]);
    expect((await send(open, gate)).type).toBe('denied');
  });

  test('P7: a tool that appears after the gate was made passes through it (case 95)', async () => {
    const open = stage('deny mail.send', 'allow memory.*');
    const gate = gateOf(open);
    const later = registerTool(open.registry, { ...definition(open.ran), name: 'mcp_send' });
    expect((await send({ ...open, tool: later }, gate)).type).toBe('denied');
    expect(open.ran).toEqual([]);
  });

  test('P7: the gate denies what its registry does not resolve, by itself', async () => {
    const open = stage('allow *');
    const elsewhere = stage('allow *');
    const call = {
      tool: elsewhere.tool,
      callId: 'c',
      session,
      input: { to: 'x' },
      signal: new AbortController().signal,
    };
    expect(await gateOf(open)(call)).toEqual({
      type: 'deny',
      reason: '"send" is no tool of this registry, or was replaced.',
    });
    expect(await gateOf(elsewhere)(call)).toEqual({ type: 'allow' });
  });

  test('P7: a denial says who said no', async () => {
    const open = stage();
    expect(await send(open, gateOf(open))).toEqual({
      type: 'denied',
      reason: 'May send use mail.send a@x.org (no rule covers it)? Nobody can be asked here.',
    });
    const refusing = gateOf(open, { ask: () => Promise.resolve('deny') });
    expect(await send(open, refusing)).toEqual({ type: 'denied', reason: 'The user said no.' });
    const denied = stage('deny mail.send');
    expect(await send(denied, gateOf(denied))).toEqual({
      type: 'denied',
      reason: expect.stringContaining('send may not run: mail.send a@x.org'),
    });
  });

  test('P6: a call that no approval can be bound to is not asked about', async () => {
    const open = stage();
    const { signal } = new AbortController();
    const call = { tool: open.tool, callId: 'c', session, input: { to: 'x', at: new Map() }, signal };
    expect(await gateOf(open, { ask: () => expect.unreachable() })(call)).toEqual({
      type: 'deny',
      reason: expect.stringContaining('what an approval can not be bound to'),
    });
  });

  test('P7: where nobody can be asked, or whoever is asked fails, nothing runs', async () => {
    const open = stage();
    expect((await send(open, gateOf(open))).type).toBe('denied');
    const broken = gateOf(open, { ask: () => Promise.reject(new Error('no terminal')) });
    expect((await send(open, broken)).type).toBe('denied');
    expect(open.ran).toEqual([]);
  });
});

describe('P6: an approval is of one call', () => {
  const approvedFor = (open: Stage, to: string, callId = 'call-1') => ({
    registry: open.registry,
    definition: open.tool,
    callId,
    inputHash: hashInput({ to }) ?? '',
  });

  test('P6: it is used once', async () => {
    const open = stage();
    const approvals = createApprovals();
    approvals.grant(approvedFor(open, 'a@x.org'));
    const gate = gateOf(open, { approvals });
    expect((await send(open, gate)).type).toBe('completed');
    expect((await send(open, gate)).type).toBe('denied');
    expect(open.ran).toEqual(['a@x.org']);
  });

  test('P6: other arguments, another call id, another definition and another registry need their own (case 101)', async () => {
    const open = stage();
    const other = stage();
    const approvals = createApprovals();
    approvals.grant(approvedFor(open, 'a@x.org'));
    const gate = gateOf(open, { approvals });
    expect((await send(open, gate, 'b@x.org')).type).toBe('denied');
    expect((await send(open, gate, 'a@x.org', 'call-2')).type).toBe('denied');
    expect((await send(other, gateOf(other, { approvals }))).type).toBe('denied');
    expect((await send(open, gate)).type).toBe('completed');
  });

  test('P6: two pending calls that are approved in swapped order stay apart', async () => {
    const open = stage();
    const approvals = createApprovals();
    approvals.grant(approvedFor(open, 'b@x.org', 'call-2'));
    approvals.grant(approvedFor(open, 'a@x.org', 'call-1'));
    const gate = gateOf(open, { approvals });
    expect((await send(open, gate, 'a@x.org', 'call-2')).type).toBe('denied');
    expect((await send(open, gate, 'b@x.org', 'call-2')).type).toBe('completed');
  });

  test('P6: a definition that changes under the same name asks again', async () => {
    const open = stage();
    const approvals = createApprovals();
    approvals.grant(approvedFor(open, 'a@x.org'));
    const changed = registerTool(open.registry, definition(open.ran, 'Sends a mail to everybody.'), {
      replace: true,
    });
    expect((await send({ ...open, tool: changed }, gateOf(open, { approvals }))).type).toBe('denied');
    expect(open.ran).toEqual([]);
  });

  test('P6: an approval outweighs no denial', async () => {
    const open = stage('deny mail.send');
    const approvals = createApprovals();
    approvals.grant(approvedFor(open, 'a@x.org'));
    expect((await send(open, gateOf(open, { approvals }))).type).toBe('denied');
  });
});

describe('P6: asking a person', () => {
  test('P6: the question names the call, its arguments and the reason; only approve is a yes', async () => {
    const open = stage();
    const asked: ApprovalRequest[] = [];
    const answering = (answer: string): ToolGate =>
      gateOf(open, {
        ask: (request) => {
          asked.push(request);
          return Promise.resolve(answer as 'approve');
        },
      });
    expect((await send(open, answering('approve'))).type).toBe('completed');
    expect(asked).toMatchObject([{ tool: 'send', callId: 'call-1', session, input: { to: 'a@x.org' } }]);
    expect(asked[0]?.question).toContain('mail.send a@x.org');
    for (const answer of ['deny', 'yes', '', 'always']) {
      expect((await send(open, answering(answer))).type).toBe('denied');
    }
  });

  test.each<[string, (open: Stage, request: ApprovalRequest) => void]>([
    ['the rules deny it', ({ engine }) => engine.addRules([rule('deny mail.send', { source: 'session' })])],
    ['its arguments change', (_, { input }) => Object.assign(input as object, { to: 'evil@x.org' })],
    ['more arguments come', (_, { input }) => Object.assign(input as object, { copies: 99 })],
    [
      'it is replaced',
      ({ registry, ran }) => void registerTool(registry, definition(ran), { replace: true }),
    ],
  ])('P6: when %s while the question stands, the approval is of something else', async (_, change) => {
    const open = stage();
    const gate = gateOf(open, {
      ask: (request) => {
        change(open, request);
        return Promise.resolve('approve');
      },
    });
    expect((await send(open, gate)).type).toBe('denied');
    expect(open.ran).toEqual([]);
  });

  test('P6: the gate itself notices a tool that is replaced while the question stands', async () => {
    const { registry, engine, tool, ran } = stage();
    const gate = gateOf(
      { registry, engine, tool, ran },
      {
        ask: () => {
          registerTool(registry, definition(ran), { replace: true });
          return Promise.resolve('approve');
        },
      },
    );
    const { signal } = new AbortController();
    expect(await gate({ tool, callId: 'c', session, input: { to: 'x' }, signal })).toEqual({
      type: 'deny',
      reason: 'It is no longer the call that was approved.',
    });
  });

  test('P6: when a link is bent while the question stands, the approval is of something else', async () => {
    let target = '/work/space/harmless';
    const engine = engineOf([], { readLink: (at) => (at === '/work/space/link' ? target : undefined) });
    const registry = createToolRegistry();
    const ran: string[] = [];
    const tool = registerTool(registry, {
      ...definition(ran),
      capabilities: [{ capability: 'filesystem.write', target: { argument: 'to' } }],
    });
    const open = { engine, registry, ran, tool };
    const gate = gateOf(open, {
      ask: () => {
        target = '/etc/passwd';
        return Promise.resolve('approve');
      },
    });
    expect(await send(open, gate, 'link')).toEqual({
      type: 'denied',
      reason: 'It is no longer the call that was approved.',
    });
  });

  test('P6: while the question stands the rules may change, if they still ask', async () => {
    const open = stage();
    const gate = gateOf(open, {
      ask: () => {
        open.engine.addRules([rule('ask mail.*', { source: 'session' })]);
        return Promise.resolve('approve');
      },
    });
    expect((await send(open, gate)).type).toBe('completed');
  });

  test('P6: whoever is asked learns of a cancel', async () => {
    const open = stage();
    const { signal } = new AbortController();
    const given: unknown[] = [];
    const gate = gateOf(open, {
      ask: (_, options) => {
        given.push(options.signal);
        return Promise.resolve('deny');
      },
    });
    await gate({ tool: open.tool, callId: 'c', session, input: { to: 'x' }, signal });
    expect(given).toEqual([signal]);
  });

  test('P6: a call that was cancelled meanwhile does not run', async () => {
    const open = stage();
    const cancel = new AbortController();
    const gate = gateOf(open, {
      ask: () => {
        cancel.abort();
        return Promise.resolve('approve');
      },
    });
    const call = { tool: open.tool, callId: 'c', session, input: { to: 'x' }, signal: cancel.signal };
    expect(await gate(call)).toMatchObject({ type: 'deny' });
  });
});

describe('P6: the hash of arguments', () => {
  test('P6: equal inputs share it whatever the order of their keys, others do not', () => {
    // Through JSON, which knows no -0.
    const json = fc.json().map((text): unknown => JSON.parse(JSON.stringify(JSON.parse(text))));
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(hashInput(left)).toBe(hashInput(structuredClone(left)));
        expect(hashInput(left) === hashInput(right)).toBe(isDeepStrictEqual(left, right));
      }),
      { seed: inject('seed') },
    );
    expect(hashInput({ a: 1, b: [2] })).toBe(hashInput({ b: [2], a: 1 }));
  });

  test.each<[unknown, unknown]>([
    ['1', 1],
    [null, undefined],
    [{}, { a: undefined }],
    [['a', 'b'], ['a,b']],
    [new Date(0), 'date 0'],
    [0, -0],
    [true, 'true'],
    [undefined, 'undefined'],
    [null, 'null'],
    [1n, 1],
    [1n, 2n],
    [[1, 2], [12]],
    [[[1], 2], [[1, 2]]],
    [{ a: 1, b: 2 }, { a: 1 }],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [new Date(0), new Date(1)],
    [1n, '1n'],
    [Number.NaN, null],
  ])('P6: %s and %s are two inputs', (left, right) => {
    for (const each of [left, right]) expect(hashInput(each)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashInput(left)).not.toBe(hashInput(right));
    expect(hashInput([left])).not.toBe(hashInput([right]));
  });

  test('P6: one input twice has one hash, whoever made the object', () => {
    const keys = ['c', 'a', 'b', 'aa', 'B'];
    const filled = (names: readonly string[]): object =>
      Object.fromEntries(names.map((name) => [name, name]));
    expect(hashInput(filled(keys))).toBe(hashInput(filled(keys.toReversed())));
    expect(hashInput(Object.assign(Object.create(null), { a: 1 }))).toBe(hashInput({ a: 1 }));
    const shared = { x: 1 };
    expect(hashInput([shared, shared])).toBe(hashInput([{ x: 1 }, { x: 1 }]));
  });

  const computed = { get: () => 1, enumerable: true };

  test.each([
    [() => 1],
    [{ a: Symbol('x'), b: 1 }],
    [[1, () => 1]],
    [new Map([[1, 2]])],
    [circle()],
    [Object.defineProperty({ a: 1 }, 'b', computed)],
    [Object.defineProperty([1], '1', computed)],
    [Object.defineProperty({ a: 1 }, 'b', { value: 2 })],
    [{ a: 1, [Symbol('b')]: 2 }],
    [new Proxy({ a: 1 }, {})],
    [[new Proxy([1], {})]],
    [Array(2)],
  ])('P6: what has no value to compare has no hash, and can not be approved', async (input) => {
    expect(hashInput(input)).toBeUndefined();
  });
});

function circle(): object {
  const around: { self?: object } = {};
  around.self = around;
  return around;
}
