import { describe, expect, test } from 'vitest';
import { answerBody, appendItems, userBody } from './log.ts';
import { agentOf, createStage, keyOf, outline, script, toolOf } from './harness.ts';

describe('sessions', () => {
  test('RS1: items are appended and nothing changes those before', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    await runtime.play(script({ tool: 'read' }, { text: 'one' }));
    const before = await stage.store.sessions.items(keyOf());
    await runtime.play(script({ text: 'two' }));
    await runtime.backend.compact(keyOf(), { signal: new AbortController().signal });
    const after = await stage.store.sessions.items(keyOf());
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
      'message',
      'message',
      'summary',
    ]);
  });

  test('a title is the first words that were said, until it is given another', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    await runtime.play(
      'Find out why\nthe build of the release branch fails on every second Tuesday of the month',
    );
    const titleOf = async () => (await stage.sessions.find(keyOf()))?.title;
    expect(await titleOf()).toBe('Find out why the build of the release branch fails on every…');
    await stage.sessions.rename(keyOf(), 'The build');
    await runtime.play('and now?');
    expect(await titleOf()).toBe('The build');
  });

  test('RS3: a clone has all of it, and goes its own way', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    await runtime.play(script({ tool: 'read' }, { text: 'one' }));
    const copy = await stage.sessions.clone(keyOf());
    expect(await stage.sessions.messages(copy)).toEqual(await stage.sessions.messages(keyOf()));
    await runtime.play('more', { session: copy.session });
    expect(await stage.sessions.messages(copy)).toHaveLength(6);
    expect(await stage.sessions.messages(keyOf())).toHaveLength(4);
    expect(stage.bodies.at(-1).messages.slice(0, 3)).toMatchObject(
      stage.bodies[1].messages.map(({ role }: { role: string }) => ({ role })),
    );
  });

  test('RS3: a branch has what stands before a message, a fork what stands up to it with the results of its calls', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read')] });
    await runtime.play(`Look. ${script({ tool: 'read' }, { text: 'one' })}`);
    await runtime.play('second');
    const messages = await stage.sessions.messages(keyOf());
    const branch = await stage.sessions.branch(keyOf(), { beforeMessage: messages[4]?.id ?? '' });
    expect(await stage.sessions.messages(branch)).toEqual(messages.slice(0, 4));
    const fork = await stage.sessions.fork(keyOf(), { afterMessage: messages[1]?.id ?? '' });
    expect(await stage.sessions.messages(fork)).toEqual(messages.slice(0, 3));
    const whole = await stage.sessions.fork(fork);
    expect(await stage.sessions.messages(whole)).toEqual(messages.slice(0, 3));
    const titles = await Promise.all(
      [branch, fork, whole].map(async (key) => (await stage.sessions.find(key))?.title),
    );
    expect(titles.map((title) => title?.replace(/^.*(?= \()/s, ''))).toEqual([
      ' (branch)',
      ' (fork)',
      ' (fork 2)',
    ]);
    await expect(stage.sessions.branch(keyOf(), { beforeMessage: 'no such' })).rejects.toMatchObject({
      code: 'RUNTIME_MESSAGE_MISSING',
    });
    expect((await runtime.play('go on', { session: fork.session })).result.status).toBe('completed');
  });

  test('RS3: a session that is deleted is gone, and while a turn runs it is not deleted', async () => {
    await using stage = await createStage();
    const hold = await appendItems(stage.store, [userBody('one')], { isHeld: true });
    await expect(stage.sessions.delete(keyOf())).rejects.toMatchObject({
      code: 'RUNTIME_SESSION_BUSY',
      turn: 'log',
    });
    await hold.release();
    expect(await stage.sessions.delete(keyOf())).toBe(true);
    expect(await stage.sessions.delete(keyOf())).toBe(false);
    await expect(stage.sessions.messages(keyOf())).rejects.toMatchObject({ code: 'RUNTIME_SESSION_MISSING' });
  });

  test('RS3: an export as JSON says all that was said, without what is for one provider alone', async () => {
    await using stage = await createStage();
    const runtime = await stage.start({ tools: [toolOf('read', () => 'a text')] });
    await runtime.play(script({ thinking: 'hm', tool: 'read' }, { text: 'one' }));
    const exported = JSON.parse(await stage.sessions.export(keyOf(), 'json'));
    expect(exported).toMatchObject({
      format: 'quartermaster-session',
      version: 1,
      session: { session: 'ses' },
    });
    expect(exported.messages).toHaveLength(4);
    expect(JSON.stringify(exported)).toContain('a text');
    expect(JSON.stringify(exported)).not.toContain('providerData');
    expect(JSON.stringify(await stage.store.sessions.items(keyOf()))).toContain('providerData');
  });

  test('RS3: an export as HTML is one file that loads nothing and shows everything as text', async () => {
    await using stage = await createStage();
    const evil = '<script>alert(1)</script><img src=x onerror="alert(2)">\'&';
    const runtime = await stage.start({ tools: [toolOf('read', () => evil)] });
    await runtime.play(`${evil} ${script({ tool: 'read', input: { [evil]: evil } }, { text: evil })}`);
    await stage.sessions.rename(keyOf(), evil);
    const html = await stage.sessions.export(keyOf(), 'html');
    expect(html).not.toMatch(/<script|<img|onerror="/);
    expect(html).not.toMatch(/<[^>]+ (?:src|href)=/);
    expect(html.split('&lt;script&gt;alert(1)&lt;/script&gt;').length).toBeGreaterThan(5);
    expect(html).toContain("default-src 'none'");
  });

  test('RS4: a request that comes twice is one turn, and is told what came of it', async () => {
    await using stage = await createStage();
    let runs = 0;
    const runtime = await stage.start({ tools: [toolOf('write', () => (runs += 1))] });
    const text = script({ tool: 'write' }, { text: 'written' });
    const first = await runtime.play(text, { requestId: 'r1' });
    await runtime.play('something else');
    const second = await runtime.play(text, { requestId: 'r1' });
    expect([first.result.text, second.result.text, second.result.status]).toEqual([
      'written',
      'written',
      'completed',
    ]);
    expect(runs).toBe(1);
    expect(stage.bodies).toHaveLength(3);
    expect(await stage.sessions.messages(keyOf())).toHaveLength(6);
    await expect(runtime.play('another text', { requestId: 'r1' })).rejects.toMatchObject({
      code: 'RUNTIME_REQUEST_CONFLICT',
    });
    expect((await runtime.play(text, { requestId: 'r1', session: 'other' })).result.status).toBe('completed');
  });

  test('R1: a request whose turn was cut off is not run again', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    const text = script({ fault: 'status', status: 500, times: 9 });
    await runtime.play(text, { requestId: 'r1' });
    const { result } = await runtime.play(text, { requestId: 'r1' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_TURN_CUT' } });
    expect(stage.bodies).toHaveLength(1);
  });

  test('RS5: another user has another session of the same name', async () => {
    await using stage = await createStage();
    const runtime = await stage.start();
    await runtime.play('hello');
    const bob = { ...keyOf(), user: 'bob' };
    expect(await stage.sessions.find(bob)).toBeUndefined();
    const events = runtime.runTurn({
      turn: 'bob-1',
      session: bob,
      text: 'I am Bob',
      signal: new AbortController().signal,
      takeSteering: () => [],
    });
    for await (const _ of events);
    expect(outline(await stage.sessions.messages(bob))).toEqual(['user "I am Bob"', 'assistant "ok"']);
    expect(await runtime.sessions?.list()).toHaveLength(1);
    expect(await runtime.sessions?.list('bob')).toMatchObject([{ session: 'ses', title: 'I am Bob' }]);
    expect(await runtime.sessions?.delete('ses', 'bob')).toBe(true);
    expect(await runtime.sessions?.exists('ses')).toBe(true);
    expect(await runtime.sessions?.recentMessages('ses', 1)).toMatchObject([{ role: 'assistant' }]);
  });

  test('case 77: a session that names a model and tools that are gone opens, lists and goes on, and is not rewritten', async () => {
    await using stage = await createStage();
    await appendItems(stage.store, [userBody('one'), answerBody('two', ['gone_tool']), answerBody('three')]);
    const before = await stage.store.sessions.items(keyOf());
    expect(await stage.sessions.list(keyOf(), { limit: 10 })).toMatchObject([{ title: 'a title' }]);
    expect(await stage.sessions.messages(keyOf())).toHaveLength(4);
    expect(await stage.sessions.export(keyOf(), 'html')).toContain('three');
    const runtime = await stage.start({ agents: [agentOf('other')] });
    expect((await runtime.play('go on')).result.status).toBe('completed');
    expect((await stage.store.sessions.items(keyOf())).slice(0, 3)).toEqual(before);
  });
});
