import { describe, expect, test } from 'vitest';
import { decideDeferral, protectedTools, type RuleReason } from '@quartermaster/deferral';
import { clientTools, session, unusedTools } from './history.ts';

const names = ['Bash', 'WebFetch', 'mcp__git__log', 'mcp__git__push'];
const idle = session(names);

test('RU1 to RU5: a tool that nothing keeps is deferred', () => {
  const decision = decideDeferral(unusedTools(['WebFetch', 'NotebookEdit']));
  expect(decision.units).toEqual(['NotebookEdit', 'WebFetch']);
  expect(decision.tools).toEqual(['NotebookEdit', 'WebFetch']);
  expect([...decision.reasons]).toEqual([
    ['Bash', 'protected'],
    ['WebFetch', 'deferred'],
    ['NotebookEdit', 'deferred'],
  ]);
});

test('RU1: a tool that this thread used or loaded is not deferred', () => {
  const decision = decideDeferral(
    unusedTools(['WebFetch', 'NotebookEdit'], { usedInThread: new Set(['WebFetch', 'gone']) }),
  );
  expect(decision.tools).toEqual(['NotebookEdit']);
  expect(decision.reasons.get('WebFetch')).toBe('used-in-thread');
});

describe('RU2', () => {
  test.each([0, 1, 2])('RU2: with %i sessions nothing is deferred', (count) => {
    const tenantSessions = [idle, idle, idle].slice(0, count);
    const decision = decideDeferral(unusedTools(['WebFetch'], { tenantSessions }));
    expect(decision.units).toEqual([]);
    expect(decision.reasons.get('WebFetch')).toBe('too-few-sessions');
  });

  test.each([0, 1, 2])('RU2: a use in session %i of the last three keeps the tool', (index) => {
    const tenantSessions = [idle, idle, idle].with(index, session(names, ['WebFetch']));
    const decision = decideDeferral(unusedTools(['WebFetch', 'mcp__git__log'], { tenantSessions }));
    expect(decision.tools).toEqual(['mcp__git__log']);
    expect(decision.reasons.get('WebFetch')).toBe('used-lately');
  });

  test.each([0, 1, 2])(
    'RU2: a tool that session %i of the last three did not declare is not deferred',
    (index) => {
      const tenantSessions = [idle, idle, idle].with(index, session(['Bash', 'mcp__git__log']));
      const decision = decideDeferral(unusedTools(['WebFetch', 'mcp__git__log'], { tenantSessions }));
      expect(decision.tools).toEqual(['mcp__git__log']);
      expect(decision.reasons.get('WebFetch')).toBe('not-declared-lately');
    },
  );

  test('RU2: what an older session than the last three did counts no more', () => {
    const tenantSessions = [idle, idle, idle, session(['Bash'], ['WebFetch'])];
    expect(decideDeferral(unusedTools(['WebFetch'], { tenantSessions })).tools).toEqual(['WebFetch']);
  });
});

describe('RU3', () => {
  const projectSessions = (length: number, usedAt: number) =>
    Array.from({ length }, (_, index) => session(names, index === usedAt ? ['WebFetch'] : []));

  test.each([0, 3, 9])('RU3: a use in session %i of the project’s last ten keeps the tool', (usedAt) => {
    const decision = decideDeferral(
      unusedTools(['WebFetch', 'mcp__git__log'], { projectSessions: projectSessions(10, usedAt) }),
    );
    expect(decision.tools).toEqual(['mcp__git__log']);
    expect(decision.reasons.get('WebFetch')).toBe('used-in-project');
  });

  test('RU3: the project’s eleventh session counts no more', () => {
    const decision = decideDeferral(unusedTools(['WebFetch'], { projectSessions: projectSessions(11, 10) }));
    expect(decision.tools).toEqual(['WebFetch']);
  });

  test('RU3: a project without sessions keeps nothing, and need not have declared the tool', () => {
    expect(decideDeferral(unusedTools(['WebFetch'])).tools).toEqual(['WebFetch']);
    const projectSessions = [session([])];
    expect(decideDeferral(unusedTools(['WebFetch'], { projectSessions })).tools).toEqual(['WebFetch']);
  });
});

describe('RU4', () => {
  test.each(protectedTools.map((name) => name.replace('*', 'find_tools')))('RU4: %s is protected', (name) => {
    const decision = decideDeferral(unusedTools(['WebFetch', name].filter((tool) => tool !== 'Bash')));
    expect(decision.tools).toEqual(['WebFetch']);
    expect(decision.reasons.get(name)).toBe('protected');
  });

  test('RU4: the protected tools are those of the rule', () => {
    expect(protectedTools.join(', ')).toBe(
      'Bash, Read, Edit, Write, Agent, Task, Skill, ToolSearch, AskUserQuestion, quartermaster_*',
    );
  });

  test('RU4: protection and keep go by exact spelling', () => {
    const tools = ['bash', 'BASH', 'Bash2', 'Rea', ' Read', 'Quartermaster_x', 'quartermaster', 'webfetch'];
    const decision = decideDeferral(unusedTools(tools, { keep: ['WebFetch'] }));
    expect(decision.tools).toEqual(tools.toSorted());
  });

  test('RU4: a tool that the account or the client keeps is not deferred', () => {
    const decision = decideDeferral(unusedTools(['WebFetch', 'NotebookEdit'], { keep: ['WebFetch'] }));
    expect(decision.tools).toEqual(['NotebookEdit']);
    expect(decision.reasons.get('WebFetch')).toBe('kept');
  });

  test('RU4: keep takes an MCP server, and no other whose name begins alike', () => {
    const tools = ['mcp__git__log', 'mcp__git2__log', 'mcp__github__log'];
    const decision = decideDeferral(unusedTools(tools, { keep: ['mcp__git'] }));
    expect(decision.units).toEqual(['mcp__git2', 'mcp__github']);
    expect(decision.reasons.get('mcp__git__log')).toBe('kept');
  });

  test('RU4: keep takes a prefix that ends in *', () => {
    const decision = decideDeferral(unusedTools(['web_search', 'web', 'fetch'], { keep: ['web_*'] }));
    expect(decision.tools).toEqual(['fetch', 'web']);
  });

  test('RU4: the tool that tool_choice forces is not deferred', () => {
    const decision = decideDeferral(unusedTools(['WebFetch', 'NotebookEdit'], { forced: 'WebFetch' }));
    expect(decision.tools).toEqual(['NotebookEdit']);
    expect(decision.reasons.get('WebFetch')).toBe('forced');
  });
});

describe('RU5', () => {
  test('RU5: a tool under 200 tokens is not deferred, one of 200 is', () => {
    const weigh = (name: string): number => (name === 'light' ? 199 : 200);
    const decision = decideDeferral(unusedTools(['light', 'heavy'], { weigh }));
    expect(decision.tools).toEqual(['heavy']);
    expect(decision.reasons.get('light')).toBe('too-light');
  });

  test('RU5: only tools that nothing else keeps are weighed', () => {
    const weighed: string[] = [];
    decideDeferral(
      unusedTools(['kept', 'forced', 'used', 'heavy'], {
        keep: ['kept'],
        forced: 'forced',
        usedInThread: new Set(['used']),
        weigh: (name) => {
          weighed.push(name);
          return 500;
        },
      }),
    );
    expect(weighed).toEqual(['heavy']);
  });
});

describe('RU6', () => {
  const server = ['mcp__git__log', 'mcp__git__push'];

  test('RU6: all tools of a server are deferred together, under one unit and one reason', () => {
    const decision = decideDeferral(unusedTools(['mcp__git__push', 'WebFetch', 'mcp__git__log']));
    expect(decision.units).toEqual(['WebFetch', 'mcp__git']);
    expect(decision.tools).toEqual(['WebFetch', 'mcp__git__log', 'mcp__git__push']);
  });

  test('RU6: the tools of a server are weighed together', () => {
    const decision = decideDeferral(unusedTools([...server, 'WebFetch'], { weigh: () => 100 }));
    expect(decision.units).toEqual(['mcp__git']);
  });

  const useOfAnother = session([], ['mcp__git__tag']);
  test.each<[string, Parameters<typeof unusedTools>[1], RuleReason]>([
    ['use in this thread', { usedInThread: new Set(['mcp__git__tag']) }, 'used-in-thread'],
    ['use in a late session', { tenantSessions: [idle, useOfAnother, idle] }, 'used-lately'],
    ['use in the project', { projectSessions: [useOfAnother] }, 'used-in-project'],
    ['kept tool', { keep: ['mcp__git__push'] }, 'kept'],
    ['forced tool', { forced: 'mcp__git__log' }, 'forced'],
  ])('RU6: one %s keeps the whole server', (_, changes, reason) => {
    const decision = decideDeferral(unusedTools([...server, 'WebFetch'], changes));
    expect(decision.units).not.toContain('mcp__git');
    expect(server.map((name) => decision.reasons.get(name))).toEqual([reason, reason]);
  });

  test('RU6: a server was declared in a session when any of its tools was, even one that is gone', () => {
    const earlier = session(['Bash', 'mcp__git__tag']);
    const tenantSessions = [idle, earlier, earlier];
    expect(decideDeferral(unusedTools(server, { tenantSessions })).units).toEqual(['mcp__git']);
    const never = session(['Bash', 'mcp__git2__tag', 'mcp__git', 'mcp__git__']);
    const decision = decideDeferral(unusedTools(server, { tenantSessions: [idle, earlier, never] }));
    expect(decision.reasons.get('mcp__git__log')).toBe('not-declared-lately');
  });

  test('RU6: mcp__srv and mcp__srv2 are different units', () => {
    const usedInThread = new Set(['mcp__srv__a']);
    const decision = decideDeferral(unusedTools(['mcp__srv__a', 'mcp__srv2__a'], { usedInThread }));
    expect(decision.units).toEqual(['mcp__srv2']);
  });

  test('RU6: a built-in that is spelled like a server is no part of it', () => {
    const usedInThread = new Set(['mcp__git']);
    const decision = decideDeferral(unusedTools(['mcp__git', ...server], { usedInThread }));
    expect(decision.tools).toEqual(server);
    expect(decision.reasons.get('mcp__git')).toBe('used-in-thread');
  });

  test.each(['mcp____x', 'mcp__a__', 'mcp__', ''])(
    'RU6: the hostile name %j is a unit of its own',
    (name) => {
      expect(decideDeferral(unusedTools([name])).units).toEqual([name]);
    },
  );
});

describe('RU7', () => {
  test('RU7: tools that the client deferred and server tools do not join', () => {
    const { tools, ...rest } = unusedTools(['mcp__git__log']);
    const decision = decideDeferral({
      ...rest,
      tools: [...tools, { name: 'mcp__git__push', kind: 'deferred' }, { name: 'web_search', kind: 'server' }],
      weigh: (name) => (name === 'mcp__git__log' ? 199 : 1_000),
    });
    expect(decision.units).toEqual([]);
    expect(decision.reasons.get('mcp__git__log')).toBe('too-light');
    expect(decision.reasons.get('mcp__git__push')).toBe('not-ours');
    expect(decision.reasons.get('web_search')).toBe('not-ours');
  });

  test('RU7: they do not block either', () => {
    const { tools, ...rest } = unusedTools(['mcp__git__log']);
    const decision = decideDeferral({
      ...rest,
      tools: [...tools, { name: 'mcp__git__push', kind: 'deferred' }],
      keep: ['mcp__git__push'],
      forced: 'mcp__git__push',
    });
    expect(decision.tools).toEqual(['mcp__git__log']);
  });

  test('RU7: a use of a tool that the client deferred is still a use of its server', () => {
    const { tools, ...rest } = unusedTools(['mcp__git__log']);
    const decision = decideDeferral({
      ...rest,
      tools: [...tools, { name: 'mcp__git__push', kind: 'deferred' }],
      usedInThread: new Set(['mcp__git__push']),
    });
    expect(decision.reasons.get('mcp__git__log')).toBe('used-in-thread');
  });
});

describe('RU8', () => {
  test('RU8: of several reasons the first in the order of the rules is given', () => {
    const use = session(names, ['WebFetch']);
    const steps: [Parameters<typeof unusedTools>[1], RuleReason][] = [
      [{ usedInThread: new Set(['WebFetch']) }, 'used-in-thread'],
      [{ tenantSessions: [] }, 'too-few-sessions'],
      [{ tenantSessions: [use, use, session([])] }, 'used-lately'],
      [{ tenantSessions: [idle, idle, session([])] }, 'not-declared-lately'],
      [{ projectSessions: [use] }, 'used-in-project'],
      [{ keep: ['WebFetch'] }, 'kept'],
      [{ forced: 'WebFetch' }, 'forced'],
      [{ weigh: () => 0 }, 'too-light'],
    ];
    for (const [index, [, reason]] of steps.entries()) {
      const changes = Object.assign(
        {},
        ...steps
          .slice(index)
          .map(([change]) => change)
          .toReversed(),
      );
      expect(decideDeferral(unusedTools(['WebFetch'], changes)).reasons.get('WebFetch')).toBe(reason);
    }
  });

  test('RU8: protected comes after the history’s reasons and before the account’s', () => {
    const reasonOfBash = (changes: Parameters<typeof unusedTools>[1]) =>
      decideDeferral(unusedTools(['WebFetch'], changes)).reasons.get('Bash');
    expect(reasonOfBash({ keep: ['Bash'], forced: 'Bash', weigh: () => 0 })).toBe('protected');
    expect(reasonOfBash({ projectSessions: [session([], ['Bash'])] })).toBe('used-in-project');
  });

  test('RU8: output is sorted by code unit, whatever the order of the request', () => {
    const decision = decideDeferral(unusedTools(['b', 'é', 'a', 'Z', 'mcp__z__b', 'mcp__z__a']));
    expect(decision.units).toEqual(['Z', 'a', 'b', 'mcp__z', 'é']);
    expect(decision.tools).toEqual(['Z', 'a', 'b', 'mcp__z__a', 'mcp__z__b', 'é']);
  });

  test('RU8: a request without tools is decided: nothing', () => {
    expect(decideDeferral(unusedTools([], { tools: [] }))).toEqual({
      units: [],
      tools: [],
      reasons: new Map(),
    });
  });
});

describe('RW4', () => {
  test('RW4: where all would be deferred, the last tool of the list stays', () => {
    const decision = decideDeferral(unusedTools([], { tools: clientTools('WebFetch', 'mcp__git__log') }));
    expect(decision.units).toEqual(['WebFetch']);
    expect(decision.reasons.get('mcp__git__log')).toBe('last-loaded');
  });

  test('RW4: where the last tool is a server’s, all of that server stays', () => {
    const tools = clientTools('mcp__git__log', 'WebFetch', 'mcp__git__push');
    const decision = decideDeferral(unusedTools([], { tools }));
    expect(decision.units).toEqual(['WebFetch']);
    expect(decision.reasons.get('mcp__git__log')).toBe('last-loaded');
    expect(decision.reasons.get('mcp__git__push')).toBe('last-loaded');
  });

  test('RW4: a server tool, or one that the client deferred, is no client tool that stays loaded', () => {
    const decision = decideDeferral(
      unusedTools([], {
        tools: [
          { name: 'web_search', kind: 'server' },
          ...clientTools('WebFetch', 'mcp__git__log'),
          { name: 'lazy', kind: 'deferred' },
        ],
      }),
    );
    expect(decision.units).toEqual(['WebFetch']);
    expect(decision.reasons.get('mcp__git__log')).toBe('last-loaded');
  });

  test('RW4: a single tool is never deferred', () => {
    expect(decideDeferral(unusedTools([], { tools: clientTools('WebFetch') })).tools).toEqual([]);
  });
});
