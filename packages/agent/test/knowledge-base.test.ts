import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { createServices } from '@quartermaster/agent/services';
import type { KnowledgeBase, Services } from '@quartermaster/agent/services';
import { splitPassages } from '../src/services/passages.ts';
import { readUrlSource } from '../src/services/read-source.ts';
import { queryWords, wordsOf } from '../src/services/words.ts';
import { openTemporaryStore } from './stores.ts';
import type { TemporaryStore } from './stores.ts';

function createBases(temporary: TemporaryStore, changes = {}): Services {
  return createServices(
    ['knowledgeBase'],
    temporary.options({ fetch: globalThis.fetch, ...changes }),
  ) as Services;
}

const search = async (base: KnowledgeBase, query: string): Promise<readonly string[]> =>
  (await base.search(query)).map(({ document }) => document.title);

describe('search', () => {
  test('S2: texts are ranked by the words of the query; a title counts as well', async () => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase } = createBases(temporary);
    await knowledgeBase.addText('The ferry leaves at noon and takes one hour.', { title: 'Ferry' });
    await knowledgeBase.addText('The bus takes two hours. The ferry is faster.', { title: 'Bus' });
    await knowledgeBase.addText('Nothing about travel.', { title: 'Else' });
    expect(await search(knowledgeBase, 'When does the FERRY leave?')).toEqual(['Ferry', 'Bus']);
    expect(await search(knowledgeBase, 'bus')).toEqual(['Bus']);
    expect(await search(knowledgeBase, '?!')).toEqual([]);
    expect(await knowledgeBase.search('the', { limit: 1 })).toHaveLength(1);
  });

  test('S2: ten passages and ten memories are found unless a limit is given', async () => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase } = createBases(temporary);
    const { memory } = createServices(['memory'], temporary.options()) as Services;
    for (const title of 'abcdefghijkl') {
      await knowledgeBase.addText('shared word', { title });
      await memory.remember('shared word');
    }
    expect(await knowledgeBase.search('shared')).toHaveLength(10);
    expect(await memory.recall('shared')).toHaveLength(10);
    expect(await memory.recall('shared', { limit: 2 })).toHaveLength(2);
  });

  test.each([
    ['Chinese', '我们在北京大学学习计算机科学。', '计算机', '物理'],
    ['Japanese', '東京都の図書館で本を借りました。', '図書館', '病院'],
    ['Thai', 'ฉันเรียนภาษาไทยที่โรงเรียน', 'โรงเรียน', 'ทะเล'],
    ['Korean', '서울 도서관에서 책을 읽었다', '서울', '바다'],
  ])('S2: a word inside a %s text without spaces is found', async (_, text, word, absent) => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase } = createBases(temporary);
    await knowledgeBase.addText(text, { title: 'found' });
    expect(await search(knowledgeBase, word)).toEqual(['found']);
    expect(await search(knowledgeBase, absent)).toEqual([]);
  });

  test('S2: the project’s and the user’s knowledge are apart, and so are projects and users', async () => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase, userKnowledgeBase } = createBases(temporary);
    await knowledgeBase.addText('shared word', { title: 'of the project' });
    await userKnowledgeBase.addText('shared word', { title: 'of the user' });
    expect(await search(knowledgeBase, 'shared')).toEqual(['of the project']);
    expect(await search(userKnowledgeBase, 'shared')).toEqual(['of the user']);
    const elsewhere = createBases(temporary, { project: 'beta' });
    expect(await search(elsewhere.knowledgeBase, 'shared')).toEqual([]);
    expect(await search(elsewhere.userKnowledgeBase, 'shared')).toEqual(['of the user']);
    const other = createBases(temporary, { session: { app: 'app', user: 'alice2', session: 'ses' } });
    expect(await search(other.knowledgeBase, 'shared')).toEqual(['of the project']);
    expect(await search(other.userKnowledgeBase, 'shared')).toEqual([]);
  });

  test('S2: a long text is found by passage, and read as a whole', async () => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase } = createBases(temporary);
    const text = Array.from(
      { length: 40 },
      (_, index) => `Paragraph ${index} ${'and so on '.repeat(20)}`,
    ).join('\n\n');
    const { id, source } = await knowledgeBase.addText(text, { title: 'Long' });
    expect(source).toBe('text');
    const [hit] = await knowledgeBase.search('paragraph 17', { limit: 1 });
    expect(hit?.text).toContain('Paragraph 17 ');
    expect(hit?.text.length).toBeLessThanOrEqual(1_200);
    expect(await knowledgeBase.read(id)).toBe(text);
    expect(await knowledgeBase.remove(id)).toBe(true);
    expect(await knowledgeBase.search('paragraph')).toEqual([]);
    expect(await knowledgeBase.list()).toEqual([]);
  });
});

test('wordsOf: one case, one form, no marks', () => {
  expect(wordsOf('Ｈｅｌｌｏ, WORLD — it’s 3.14!')).toEqual(['hello', 'world', 'it’s', '3.14']);
});

test('queryWords: each word once, and no more than 64 of them', () => {
  expect(queryWords('tea, Tea and more tea')).toEqual(['tea', 'and', 'more']);
  expect(queryWords(Array.from({ length: 70 }, (_, index) => `w${index}`).join(' '))).toHaveLength(64);
});

test.each<[string, number, readonly string[]]>([
  ['a\n\nb', 4, ['a\n\nb']],
  ['a\n\nb', 3, ['a', 'b']],
  ['a\n \t\n\n  b  \n\n', 10, ['a\n\nb']],
  ['a\nb\n\nc', 5, ['a\nb', 'c']],
  ['aaaa bbbb cc', 7, ['aaaa', 'bbbb cc']],
  ['aaaa\nbbbb cc', 7, ['aaaa', 'bbbb cc']],
  ['aaaa bbbb cc', 8, ['aaaa bbb', 'b cc']],
  ['aaaa  bbbb', 6, ['aaaa', 'bbbb']],
  ['aaa   b', 4, ['aaa', 'b']],
  ['aaaabbbb', 4, ['aaaa', 'bbbb']],
  ['', 4, []],
])('passages of %j within %i are %j', (text, maxLength, expected) => {
  expect(splitPassages(text, maxLength)).toEqual(expected);
});

test('passages keep every word, stay within the length and cut no character in two', () => {
  const unit = fc.constantFrom('a', 'b', ' ', '\n', '\n\n', '😀', '字');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), fc.integer({ min: 4, max: 40 }), (text, maxLength) => {
      const passages = splitPassages(text, maxLength);
      const bare = (one: string): string => one.replaceAll(/\s/g, '');
      expect(bare(passages.join(''))).toBe(bare(text));
      for (const passage of passages) {
        expect(passage.length).toBeLessThanOrEqual(maxLength);
        expect(passage).not.toBe('');
        expect(passage.isWellFormed()).toBe(true);
      }
    }),
    { seed: inject('seed'), numRuns: 300 },
  );
});

const maxBytes = 4 * 1024 * 1024;

describe('files', () => {
  test('a text file is added by its name, and replaces itself', async () => {
    await using temporary = await openTemporaryStore();
    const { knowledgeBase } = createBases(temporary);
    const file = path.join(temporary.folder, 'notes.md');
    await writeFile(file, 'first harbour');
    await knowledgeBase.addFile(file);
    await writeFile(file, 'second bridge');
    const document = await knowledgeBase.addFile(file);
    expect(document).toMatchObject({ title: 'notes.md', source: file });
    expect(await knowledgeBase.list()).toEqual([document]);
    expect(await search(knowledgeBase, 'harbour')).toEqual([]);
    expect(await search(knowledgeBase, 'bridge')).toEqual(['notes.md']);
  });

  test('a file of 4 MiB is added', async () => {
    await using temporary = await openTemporaryStore();
    const file = path.join(temporary.folder, 'notes.md');
    await writeFile(file, ' '.repeat(maxBytes));
    const { id } = await createBases(temporary).knowledgeBase.addFile(file);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('a file that is missing is refused, with the reason as the cause', async () => {
    await using temporary = await openTemporaryStore();
    const file = path.join(temporary.folder, 'missing');
    await expect(createBases(temporary).knowledgeBase.addFile(file)).rejects.toMatchObject({
      message: `Expected a readable file at ${file}; it could not be read.`,
      cause: { code: 'ENOENT' },
    });
  });

  test('what has no end of its own is refused before it is opened: a folder, a device', async () => {
    await using temporary = await openTemporaryStore();
    for (const file of [temporary.folder, '/dev/zero']) {
      await expect(createBases(temporary).knowledgeBase.addFile(file)).rejects.toMatchObject({
        message: `Expected a readable file at ${file}; it is a folder, a device or a pipe.`,
      });
    }
  });

  test.each<[string, Buffer | string, string]>([
    ['that is no text', Buffer.from([0xff, 0xfe, 0x00, 0x80]), 'UTF-8 text in'],
    ['that is too large', 'x'.repeat(maxBytes + 1), 'at most 4194304 bytes in'],
  ])('a file %s is refused', async (_, content, expected) => {
    await using temporary = await openTemporaryStore();
    const file = path.join(temporary.folder, 'notes.md');
    await writeFile(file, content);
    await expect(createBases(temporary).knowledgeBase.addFile(file)).rejects.toMatchObject({
      code: 'SERVICE_FAILED',
      message: expect.stringContaining(`${expected} ${file}`),
    });
  });
});

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

describe('URLs', () => {
  test('a page is added without its tags, under its title', async () => {
    await using temporary = await openTemporaryStore();
    await using server = await serve((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<html><head><title>Tea &amp; more</title><script>var secretWord</script></head><body><p>Green</p><p>tea&#33;</p></body>',
      );
    });
    const { knowledgeBase } = createBases(temporary);
    const document = await knowledgeBase.addUrl(server.url);
    expect(document).toMatchObject({ title: 'Tea & more', source: `${server.url}/` });
    expect(await knowledgeBase.read(document.id)).toBe('Green\n\n\n\ntea!');
    expect(await search(knowledgeBase, 'secretWord')).toEqual([]);
  });

  const answer = (text: string, type: string) => () =>
    Promise.resolve(new Response(text, { headers: { 'content-type': type } }));

  /** What is read of a page, with its title. */
  async function readPage(html: string, type = 'text/html'): Promise<readonly string[]> {
    const { title, text, source } = await readUrlSource('https://h/p', {
      fetch: answer(html, type),
      maxBytes: 200,
    });
    expect(source).toBe('https://h/p');
    return [title, text];
  }

  test.each([
    ['a<p class="x">b', 'a\n\nb'],
    ['<p>a</p>b<br>c', 'a\n\nb\n\nc'],
    ['a<b>b</b>c', 'a b c'],
    ['a<!-- > -->b<!-- -->c', 'a b c'],
    ['a<style>p {}</style >b<template><p>x</p></template>c', 'a b c'],
    ['a \t  b', 'a b'],
    ['a<SCRIPT type="x">\nvar x\n</SCRIPT>b', 'a b'],
    ['<h1 class="x">a</h1><header>b</header>', 'a\n\n b'],
    ['&lt;&gt;&quot;&apos;&nbsp;&AMP;', `<>"' &`],
    ['&#65;&#x42;&#X43;&#x1F600;', 'ABC😀'],
    ['&#1114112;&#x10ffff;', '\uFFFD\u{10FFFF}'],
    ['&nosuch; &; &#xyz;', '&nosuch; &; &#xyz;'],
  ])('the text of the page %j is %j, and its title is its URL', async (html, text) => {
    expect(await readPage(html)).toEqual(['https://h/p', text]);
  });

  test('a title may have attributes and blanks around it', async () => {
    expect(await readPage('<head><TITLE lang="en"> Tea &amp; more\n</TITLE></head>x')).toEqual([
      'Tea & more',
      'x',
    ]);
  });

  test.each([
    'text/plain',
    'TEXT/MARKDOWN; charset=utf-8',
    'application/json',
    'application/vnd.api-v1.2+json; x=y',
    'application/xml',
  ])('a text of the type %s is added as it is', async (type) => {
    expect(await readPage(' <p>a</p> ', type)).toEqual(['https://h/p', ' <p>a</p> ']);
  });

  test.each(['', 'image/svg', 'x-text/plain', 'application/pdf', 'application/jsonx', 'x application/json'])(
    'an answer of the type %j is refused',
    async (type) => {
      await expect(readPage('x', type)).rejects.toThrow(`its content type is "${type}"`);
    },
  );

  test('a text that fills the limit to the byte is added', async () => {
    const options = { fetch: answer('é'.repeat(4), 'text/plain'), maxBytes: 8 };
    expect(await readUrlSource('http://h', options)).toMatchObject({ text: 'éééé' });
    await expect(readUrlSource('http://h', { ...options, maxBytes: 7 })).rejects.toThrow('at most 7 bytes');
  });

  test('what holds up an answer is the cause', async () => {
    const cause = new Error('no route');
    const fetch = (): Promise<never> => Promise.reject(cause);
    await expect(readUrlSource('http://h', { fetch, maxBytes: 8 })).rejects.toMatchObject({
      message: 'Expected an answer from http://h/; none came.',
      cause,
    });
  });

  test('a redirection is not followed, not even on the same host', async () => {
    await using temporary = await openTemporaryStore();
    await using server = await serve((request, response) =>
      request.url === '/old'
        ? void response.writeHead(301, { location: '/new' }).end()
        : void response.writeHead(200, { 'content-type': 'text/plain' }).end('new'),
    );
    const { knowledgeBase } = createBases(temporary);
    await expect(knowledgeBase.addUrl(`${server.url}/old`)).rejects.toThrow(
      `it answered 301 and leads to ${server.url}; add that URL itself.`,
    );
  });

  test.each<[string, RequestListener, string]>([
    [
      'that fails',
      (_, response) => void response.writeHead(503).end('down'),
      'Expected status 200 from URL; it answered 503.',
    ],
    [
      'that leads elsewhere',
      (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      'Expected status 200 from URL; it answered 302 and leads to http://169.254.169.254; add that URL itself.',
    ],
    [
      'that is no text',
      (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
      'Expected a text at URL; its content type is "image/png".',
    ],
    [
      'that is not encoded as it should be',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('\xff', 'latin1'),
      'Expected UTF-8 text in URL; it holds other bytes.',
    ],
    [
      'that leads nowhere',
      (_, response) => void response.writeHead(302, { location: 'http://[' }).end('x'),
      'Expected status 200 from URL; it answered 302.',
    ],
    [
      'that breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).write('x', () => response.destroy());
      },
      'Expected a whole answer from URL; it broke off.',
    ],
    [
      'that is too large',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(9_000)),
      'Expected at most 8000 bytes from URL; more came.',
    ],
  ])('a URL %s is refused', async (_, listener, message) => {
    await using server = await serve(listener);
    const reading = readUrlSource(server.url, { fetch: globalThis.fetch, maxBytes: 8_000 });
    await expect(reading).rejects.toMatchObject({
      code: 'SERVICE_FAILED',
      message: message.replace('URL', `${server.url}/`),
    });
  });

  test('case 131: no error shows what the query of a URL holds', async () => {
    const answers = [
      () => Promise.reject(new Error('no route')),
      () => Promise.resolve(new Response('', { status: 404 })),
      () => Promise.resolve(new Response('x', { headers: { 'content-type': 'image/png' } })),
      () => Promise.resolve(new Response('x'.repeat(9), { headers: { 'content-type': 'text/plain' } })),
    ];
    for (const fetch of answers) {
      const reading = readUrlSource('http://h/p?key=k-canary&x=canary', { fetch, maxBytes: 8 });
      const error: unknown = await reading.catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'SERVICE_FAILED',
        message: expect.stringContaining('http://h/p?key=…&x=…'),
      });
      expect(inspect(error)).not.toContain('canary');
    }
  });

  test('an answer that nobody reads is let go of', async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    const fetch = () => Promise.resolve(new Response(body, { status: 500 }));
    await expect(readUrlSource('http://h', { fetch, maxBytes: 8 })).rejects.toThrow('it answered 500');
    expect(isCancelled).toBe(true);
  });

  const fetchNothing = (): Promise<never> => expect.unreachable();

  test.each(['file:///etc/passwd', 'not a url', 'ftp://h/', 'xhttp://h/', 'httpx://h/'])(
    '%s is refused',
    async (url) => {
      await expect(readUrlSource(url, { fetch: fetchNothing, maxBytes: 8 })).rejects.toMatchObject({
        code: 'SERVICE_FAILED',
        message: 'Expected a URL with http or https; another text came.',
      });
    },
  );

  test.each(['user:canary', ':canary', 'canary'])(
    'a URL with %s in it is refused, and shows it nowhere',
    async (user) => {
      const reading = readUrlSource(`http://${user}@h:9/`, { fetch: fetchNothing, maxBytes: 8 });
      const error: unknown = await reading.catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'SERVICE_FAILED',
        message: 'Expected a URL of h:9 without user and password; it has them.',
      });
      expect(inspect(error)).not.toContain('canary');
    },
  );

  test('a caller that cancels is not kept waiting', async () => {
    await using temporary = await openTemporaryStore();
    await using server = await serve(() => undefined);
    const adding = createBases(temporary).knowledgeBase.addUrl(server.url, {
      signal: AbortSignal.timeout(20),
    });
    await expect(adding).rejects.toMatchObject({ code: 'SERVICE_FAILED' });
  });
});

test('memory: what was said in one session is recalled in another, by the same user', async () => {
  await using temporary = await openTemporaryStore();
  const { memory } = createServices(['memory'], temporary.options()) as Services;
  const tea = await memory.remember('Prefers green tea');
  const train = await memory.remember('Takes the train');
  const later = createServices(
    ['memory'],
    temporary.options({ session: { app: 'app', user: 'alice', session: 'another' } }),
  ) as Services;
  expect(await later.memory.recall('which TEA?')).toEqual([tea]);
  expect(await later.memory.list()).toEqual([train, tea]);
  expect(await later.memory.forget(tea.id)).toBe(true);
  expect(await later.memory.recall('tea')).toEqual([]);
});

test('taskStore: the plan and the tasks belong to the session', async () => {
  await using temporary = await openTemporaryStore();
  const { taskStore } = createServices(['taskStore'], temporary.options()) as Services;
  await taskStore.savePlan('a plan');
  await taskStore.saveTasks([{ title: 'one', status: 'done' }]);
  expect(await taskStore.readPlan()).toBe('a plan');
  expect(await taskStore.readTasks()).toEqual([{ title: 'one', status: 'done' }]);
  const other = createServices(
    ['taskStore'],
    temporary.options({ session: { app: 'app', user: 'alice', session: 'another' } }),
  ) as Services;
  expect(await other.taskStore.readPlan()).toBeUndefined();
  expect(await other.taskStore.readTasks()).toEqual([]);
});
