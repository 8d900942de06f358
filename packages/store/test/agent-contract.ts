import { describe, expect, test } from 'vitest';
import type { DocumentRecord, KnowledgeOwner, Store } from '@quartermaster/store';
import type { Engine } from './contract.ts';

const project: KnowledgeOwner = { app: 'app', kind: 'project', id: 'alpha' };

/** A document with one passage a line, found by its own words. */
async function save(
  store: Store,
  owner: KnowledgeOwner,
  text: string,
  changes: Partial<DocumentRecord> = {},
): Promise<DocumentRecord> {
  const document = { id: text, title: 'A title', source: 'text', addedAtMs: 1_000, ...changes };
  const passages = text.split('\n').map((line) => ({ text: line, words: line.toLowerCase() }));
  await store.knowledge.save(owner, { ...document, text }, passages);
  return document;
}

const textsOf = (hits: readonly { readonly text: string }[]): readonly string[] =>
  hits.map(({ text }) => text);

/** What every engine must do for agents (S2). */
export function agentContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`${name}: knowledge`, () => {
    knowledgeContract(createEngine);
  });
  describe(`${name}: memory`, () => {
    memoryContract(createEngine);
  });
  describe(`${name}: tasks`, () => {
    taskContract(createEngine);
  });
}

function knowledgeContract(createEngine: () => Promise<Engine>): void {
  test('S2: passages with any of the words come best first, with their document and a score', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const rare = await save(store, project, 'the harbour of the north');
    await save(store, project, 'the town\nthe river and the harbour and the road and the bridge');
    const hits = await store.knowledge.search(project, ['north', 'harbour'], 10);
    expect(textsOf(hits)).toEqual([
      'the harbour of the north',
      'the river and the harbour and the road and the bridge',
    ]);
    expect(hits[0]?.document).toEqual(rare);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? Infinity);
    expect(textsOf(await store.knowledge.search(project, ['harbour'], 1))).toHaveLength(1);
  });

  test('S2: words are found whatever their case and accents, and as words', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await save(store, project, 'Café Zürich');
    for (const word of ['cafe', 'CAFÉ', 'zurich']) {
      expect(await store.knowledge.search(project, [word], 10)).toHaveLength(1);
    }
    expect(await store.knowledge.search(project, ['caf'], 10)).toEqual([]);
  });

  test('S2: no words find nothing, and a word is only a word, whatever is in it (case 135)', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await save(store, project, 'one two');
    expect(await store.knowledge.search(project, [], 10)).toEqual([]);
    for (const word of [
      '"',
      'one" OR "two',
      'NOT',
      'o*',
      'words:one',
      '(',
      '^one',
      'a\u0000b',
      "'; --",
      '',
    ]) {
      const hits = await store.knowledge.search(project, [word], 10);
      expect(hits.length, word).toBeLessThanOrEqual(1);
    }
    expect(await store.knowledge.search(project, ['three', '*'], 10)).toEqual([]);
  });

  test('saving a document again replaces it with all its passages', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    await save(store, project, 'apples\npears', { id: 'fruit' });
    const later = await save(store, project, 'plums', { id: 'fruit', title: 'Fruit', addedAtMs: 2_000 });
    expect(await reader.knowledge.list(project)).toEqual([later]);
    expect(await reader.knowledge.read(project, 'fruit')).toBe('plums');
    expect(await reader.knowledge.search(project, ['pears', 'apples'], 10)).toEqual([]);
    expect(textsOf(await reader.knowledge.search(project, ['plums'], 10))).toEqual(['plums']);
  });

  test('a deleted document is found no more; deleting one that is not there is fine', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    await save(store, project, 'apples\npears', { id: 'fruit' });
    const kept = await save(store, project, 'pears', { id: 'kept' });
    expect(await store.knowledge.delete(project, 'fruit')).toBe(true);
    expect(await store.knowledge.delete(project, 'fruit')).toBe(false);
    expect(await store.knowledge.read(project, 'fruit')).toBeUndefined();
    expect((await store.knowledge.search(project, ['pears'], 10)).map(({ document }) => document)).toEqual([
      kept,
    ]);
  });

  test('documents are listed newest first', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const documents: DocumentRecord[] = [];
    for (const addedAtMs of [1_000, 3_000, 2_000]) {
      documents.push(await save(store, project, `of ${addedAtMs}`, { addedAtMs }));
    }
    expect(await store.knowledge.list(project)).toEqual([documents[1], documents[2], documents[0]]);
  });

  test('S2: a text that has a word more often, or has fewer others, comes first', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const texts = ['tea a b c d', 'tea c tea d e', 'tea a', 'of coffee'];
    for (const text of texts) await save(store, project, text);
    expect(textsOf(await store.knowledge.search(project, ['tea'], 10))).toEqual([
      'tea c tea d e',
      'tea a',
      'tea a b c d',
    ]);
  });

  test('case 133: what one owner knows moves neither the rank nor the score of what another finds', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    for (const text of ['green tea', 'night train', 'some words', 'other words'])
      await save(store, project, text);
    const search = () => store.knowledge.search(project, ['tea', 'train'], 10);
    const before = await search();
    expect(before).toHaveLength(2);
    for (const other of [
      { ...project, id: 'beta' },
      { ...project, kind: 'user' as const },
      { ...project, app: 'b' },
    ])
      await save(store, other, 'tea here\ntea there\ntea again\nwords');
    expect(await search()).toEqual(before);
  });

  test('app, kind and id each tell owners apart', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const owners: KnowledgeOwner[] = [
      project,
      { ...project, app: 'app2' },
      { ...project, kind: 'user' },
      { ...project, id: 'Alpha' },
      { ...project, id: "alpha'; drop table knowledge_passage; --" },
    ];
    for (const [index, owner] of owners.entries())
      await save(store, owner, `shared word ${index}`, { id: 'same' });
    for (const [index, owner] of owners.entries()) {
      expect(await store.knowledge.read(owner, 'same')).toBe(`shared word ${index}`);
      expect(textsOf(await store.knowledge.search(owner, ['shared'], 10))).toEqual([`shared word ${index}`]);
      expect(await store.knowledge.list(owner)).toHaveLength(1);
    }
    await store.knowledge.delete(project, 'same');
    expect(await store.knowledge.read({ ...project, kind: 'user' }, 'same')).toBe('shared word 2');
  });
}

function memoryContract(createEngine: () => Promise<Engine>): void {
  const alice = { app: 'app', user: 'alice' };
  const entry = (id: string, text: string, rememberedAtMs = 1_000) => ({ id, text, rememberedAtMs });

  test('what is remembered is listed newest first, found by its words, and kept apart by user and app', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const [tea, train] = [entry('1', 'Drinks tea'), entry('2', 'Takes the train', 2_000)];
    for (const one of [tea, train]) await store.memory.save(alice, { ...one, words: one.text });
    const others = [
      { app: 'app', user: 'alice2' },
      { app: 'app2', user: 'alice' },
    ];
    for (const other of others)
      await store.memory.save(other, { ...entry('1', 'Hates tea'), words: 'hates tea' });
    expect(await reader.memory.list(alice)).toEqual([train, tea]);
    expect(await reader.memory.search(alice, ['tea', 'coffee'], 10)).toEqual([tea]);
    expect(await reader.memory.search(alice, [], 10)).toEqual([]);
    expect(await reader.memory.delete(alice, '1')).toBe(true);
    expect(await reader.memory.delete(alice, '1')).toBe(false);
    expect(await reader.memory.search(alice, ['tea'], 10)).toEqual([]);
    for (const other of others) expect(await reader.memory.list(other)).toEqual([entry('1', 'Hates tea')]);
  });

  test('case 133: what one user remembers does not move what another finds first', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const save = (user: string, id: string, text: string) =>
      store.memory.save({ app: 'app', user }, { ...entry(id, text), words: text });
    for (const [id, text] of ['green tea', 'night train', 'some words'].entries())
      await save('alice', `${id}`, text);
    const search = () => store.memory.search(alice, ['tea', 'train'], 10);
    const before = await search();
    for (const id of ['1', '2', '3', '4']) await save('bob', id, 'tea');
    expect(await search()).toEqual(before);
    for (const id of ['5', '6', '7', '8', '9']) await save('bob', id, 'train');
    expect(await search()).toEqual(before);
  });
}

function taskContract(createEngine: () => Promise<Engine>): void {
  const key = { app: 'app', user: 'alice', session: 'ses' };

  test('the plan and the tasks of a session are replaced as a whole, keep their order and belong to it alone', async () => {
    await using engine = await createEngine();
    const [store, reader] = [await engine.open(), await engine.open()];
    const tasks = (['done', 'in-progress', 'pending'] as const).map((status) => ({
      title: `to be ${status}`,
      status,
    }));
    expect(await store.tasks.readPlan(key)).toBeUndefined();
    expect(await store.tasks.readTasks(key)).toEqual([]);
    await store.tasks.savePlan(key, 'first');
    await store.tasks.savePlan(key, 'second');
    await store.tasks.saveTasks(key, tasks);
    await store.tasks.saveTasks(key, tasks.toReversed());
    expect(await reader.tasks.readPlan(key)).toBe('second');
    expect(await reader.tasks.readTasks(key)).toEqual(tasks.toReversed());
    for (const other of [
      { ...key, app: 'app2' },
      { ...key, user: 'bob' },
      { ...key, session: 'ses2' },
    ]) {
      expect(await reader.tasks.readPlan(other)).toBeUndefined();
      expect(await reader.tasks.readTasks(other)).toEqual([]);
      await reader.tasks.delete(other);
    }
    expect(await reader.tasks.readTasks(key)).toHaveLength(3);
    await store.tasks.delete(key);
    expect(await reader.tasks.readPlan(key)).toBeUndefined();
    expect(await reader.tasks.readTasks(key)).toEqual([]);
  });

  test('tasks that can not be saved leave those before as they were', async () => {
    await using engine = await createEngine();
    const store = await engine.open();
    const before = [{ title: 'one', status: 'pending' }] as const;
    await store.tasks.saveTasks(key, before);
    const bad = [
      { title: 'two', status: 'pending' },
      { title: 'three', status: 'lost' as never },
    ] as const;
    await expect(store.tasks.saveTasks(key, bad)).rejects.toMatchObject({ name: 'StoreError' });
    expect(await store.tasks.readTasks(key)).toEqual(before);
  });
}
