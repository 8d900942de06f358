import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '@quartermaster/agent';
import type { ToolRegistry } from '@quartermaster/agent';
import { toJsonSchema } from '@quartermaster/agent/engine';
import { createServices } from '@quartermaster/agent/services';
import type { CodeExecutor } from '@quartermaster/agent/services';
import { findSkills, listSkills, registerSkillTools } from '@quartermaster/agent/skills';
import { openTemporaryStore } from './stores.ts';
import { call } from './tools.ts';

interface SkillFolder extends AsyncDisposable {
  readonly path: string;
  write(file: string, text: string): Promise<void>;
}

async function createSkillFolder(files: Readonly<Record<string, string>>): Promise<SkillFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quartermaster-skills-'));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) await write(file, text);
  return { path: folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const skillText = (name: string, description: string, body = `The body of ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

const reports = {
  'reports/SKILL.md': skillText(
    'reports',
    'Writes reports.\n  In two lines.',
    '# Reports\n\nRun scripts/sum.py.',
  ),
  'reports/scripts/sum.py':
    'import sys, os\nprint(sum(int(a) for a in sys.argv[1:]), os.path.exists("SKILL.md"))',
  'reports/forms/a.md': 'Form A',
};

/** An executor that must not be asked. */
const executor: CodeExecutor = { run: () => expect.unreachable() };

describe('K1: skills are folders', () => {
  test('K1: each is listed in one line, in alphabetical order, and only those with a SKILL.md', async () => {
    await using folder = await createSkillFolder({
      ...reports,
      'letters/SKILL.md': skillText('letters', '"Writes: letters"'),
      'notes/README.md': 'no skill',
      'SKILL.md': skillText('stray', 'Not in a folder of its own.'),
    });
    const { skills, problems } = await findSkills([folder.path, path.join(folder.path, 'missing')]);
    expect(listSkills(skills)).toBe('- letters: Writes: letters\n- reports: Writes reports. In two lines.');
    expect(problems).toEqual([]);
    expect(JSON.stringify(skills)).not.toContain('# Reports');
  });

  test.each([
    ['no front matter', 'Just text.', 'front matter'],
    ['front matter without an end', '---\nname: a\n', 'front matter'],
    ['front matter that is no YAML', '---\nname: [a\n---\n', 'a name'],
    ['no name', '---\ndescription: d\n---\n', 'a name'],
    ['front matter that is empty', '---\n# nothing\n---\n', 'a name'],
    ['front matter below other text', `Text.\n${skillText('a', 'd')}`, 'front matter'],
    ['front matter whose last line goes on', '---\nname: a\ndescription: d\n---x\n', 'front matter'],
    ['a name that is a path', skillText('../escape', 'd'), 'a name'],
    ['a name in upper case', skillText('A', 'd'), 'a name'],
    ['a name that ends in a hyphen', skillText('a-', 'd'), 'a name'],
    ['a name with an underscore', skillText('a-b_c', 'd'), 'a name'],
    ['a name of 65 letters', skillText('a'.repeat(65), 'd'), 'a name'],
    ['no description', '---\nname: a\n---\n', 'a description'],
    ['a blank description', skillText('a', '"  "'), 'a description'],
  ])('K1: a skill with %s is left out, and the problem is told', async (_, text, problem) => {
    await using folder = await createSkillFolder({ 'broken/SKILL.md': text, ...reports });
    const found = await findSkills([folder.path]);
    expect(found.skills.map(({ name }) => name)).toEqual(['reports']);
    expect(found.problems).toEqual([
      { folder: path.join(folder.path, 'broken'), problem: expect.stringContaining(problem) },
    ]);
  });

  test.each([
    ['a name of 64 letters', skillText('a'.repeat(64), 'd'), 'a'.repeat(64)],
    ['a name of several words and digits', skillText('to-do-list-2', 'd'), 'to-do-list-2'],
    ['a byte order mark', `\uFEFF${skillText('marked', 'd')}`, 'marked'],
    ['the line ends of Windows', skillText('windows', 'd').replaceAll('\n', '\r\n'), 'windows'],
    ['blanks behind the front matter', '---\nname: blank\ndescription: d\n--- \t\nBody.', 'blank'],
    ['keys of other programs', '---\nname: other\ndescription: d\nlicense: MIT\n---\n', 'other'],
  ])('K1: a skill with %s is one', async (_, text, name) => {
    await using folder = await createSkillFolder({ 'one/SKILL.md': text });
    const { skills, problems } = await findSkills([folder.path]);
    expect(skills).toEqual([{ name, description: 'd', folder: path.join(folder.path, 'one') }]);
    expect(problems).toEqual([]);
  });

  test('K1: a description is one line, without blanks around it', async () => {
    await using folder = await createSkillFolder({ 'a/SKILL.md': skillText('a', '"  Two \\n\\n  lines. "') });
    const { skills } = await findSkills([folder.path]);
    expect(listSkills(skills)).toBe('- a: Two lines.');
  });

  test('K1: the order is that of the names, not of the folders', async () => {
    await using folder = await createSkillFolder({
      'first/SKILL.md': skillText('zebra', 'Z.'),
      'second/SKILL.md': skillText('ant', 'A.'),
      'third/SKILL.md': skillText('mole', 'M.'),
    });
    const { skills } = await findSkills([folder.path]);
    expect(skills.map(({ name }) => name)).toEqual(['ant', 'mole', 'zebra']);
  });

  test('K1: of two skills of one name the first folder’s stays, and the other is told', async () => {
    await using ours = await createSkillFolder(reports);
    await using theirs = await createSkillFolder({
      'other/SKILL.md': skillText('reports', 'Another.'),
      'again/SKILL.md': skillText('reports', 'One more.'),
    });
    const { skills, problems } = await findSkills([ours.path, theirs.path]);
    expect(skills).toHaveLength(1);
    expect(skills[0]?.description).toBe('Writes reports. In two lines.');
    const problem = `"reports" is in ${path.join(ours.path, 'reports')} already`;
    expect(problems).toEqual([
      { folder: path.join(theirs.path, 'again'), problem },
      { folder: path.join(theirs.path, 'other'), problem },
    ]);
  });

  test('K1: a skill that is there and cannot be read is an error, not a skill less', async () => {
    await using folder = await createSkillFolder({ 'odd/SKILL.md/inner.md': 'a folder of this name' });
    await expect(findSkills([folder.path])).rejects.toThrow('EISDIR');
  });

  test('K1: a body is read when it is asked for, with the names of the skill’s files', async () => {
    await using folder = await createSkillFolder(reports);
    const registry = createToolRegistry();
    const { skills } = await findSkills([folder.path]);
    const [load, read] = registerSkillTools(registry, { skills });
    await folder.write('reports/SKILL.md', skillText('reports', 'Writes reports.', 'A newer body.'));
    expect(await call(registry, load, { input: { skill: 'reports' } })).toEqual({
      type: 'completed',
      output: { instructions: 'A newer body.', files: ['forms/a.md', 'scripts/sum.py'] },
    });
    expect(await call(registry, read, { input: { skill: 'reports', file: 'forms/a.md' } })).toMatchObject({
      output: { text: 'Form A' },
    });
  });

  test('K1: what is asked for and is not there is told to the model', async () => {
    await using folder = await createSkillFolder({ ...reports, 'a/SKILL.md': skillText('a', 'd') });
    const registry = createToolRegistry();
    const { skills } = await findSkills([folder.path]);
    const [load, read] = registerSkillTools(registry, { skills });
    const empty = createToolRegistry();
    const [loadNothing] = registerSkillTools(empty, { skills: [] });
    await rm(path.join(folder.path, 'a/SKILL.md'));
    const failures: readonly [ToolRegistry, unknown, object, string][] = [
      [registry, load, { skill: 'b' }, 'Expected a skill among a, reports; got "b".'],
      [empty, loadNothing, { skill: 'b' }, 'Expected a skill among none; got "b".'],
      [registry, load, { skill: 'a' }, 'Expected the instructions of "a"; they can not be read any more.'],
      [registry, read, { skill: 'reports', file: 'c' }, 'a file of the skill "reports"; it has no "c".'],
    ];
    for (const [of, tool, input, message] of failures) {
      expect(await call(of, tool, { input })).toMatchObject({
        type: 'failed',
        error: { message: expect.stringContaining(message) },
      });
    }
    for (const [tool, input] of [
      [load, {}],
      [read, {}],
      [read, { skill: 'reports' }],
    ] as const) {
      expect(await call(registry, tool, { input })).toMatchObject({ type: 'invalid-input' });
    }
  });

  test('K1: instructions that became unreadable since are an error of the tool', async () => {
    await using folder = await createSkillFolder(reports);
    const registry = createToolRegistry();
    const [load] = registerSkillTools(registry, await findSkills([folder.path]));
    await folder.write('reports/SKILL.md', 'no front matter any more');
    expect(await call(registry, load, { input: { skill: 'reports' } })).toMatchObject({
      type: 'failed',
      error: { message: expect.stringContaining('the instructions of "reports"') },
    });
  });

  test('K1: no file outside of a skill is read or run, by .., by an absolute path or by a link', async () => {
    await using folder = await createSkillFolder({
      ...reports,
      'secret.md': 'canary',
      'secret.py': 'print(1)',
    });
    await symlink(path.join(folder.path, 'secret.md'), path.join(folder.path, 'reports/link.md'));
    await symlink(folder.path, path.join(folder.path, 'reports/up'));
    const registry = createToolRegistry();
    const { skills } = await findSkills([folder.path]);
    const [, read, run] = registerSkillTools(registry, { skills, codeExecutor: executor });
    const files = [
      '../secret.md',
      'link.md',
      'up/secret.md',
      path.join(folder.path, 'secret.md'),
      '.',
      'none.md',
    ];
    for (const file of files) {
      const outcome = await call(registry, read, { input: { skill: 'reports', file } });
      expect(outcome).toMatchObject({ type: 'failed', error: { code: 'SERVICE_FAILED' } });
    }
    for (const script of ['../secret.py', 'up/secret.py', 'forms/a.md']) {
      const outcome = await call(registry, run, { input: { skill: 'reports', script } });
      expect(outcome).toMatchObject({ type: 'failed', error: { code: 'SERVICE_FAILED' } });
    }
  });
});

describe('K2: scripts', () => {
  test('K2: run_skill_script exists exactly when there is a code executor', async () => {
    await using folder = await createSkillFolder(reports);
    const { skills } = await findSkills([folder.path]);
    const namesOf = (options: { codeExecutor?: CodeExecutor }): readonly string[] =>
      registerSkillTools(createToolRegistry(), { skills, ...options }).map(({ name }) => name);
    expect(namesOf({})).toEqual(['load_skill', 'read_skill_file']);
    expect(namesOf({ codeExecutor: executor })).toEqual([
      'load_skill',
      'read_skill_file',
      'run_skill_script',
    ]);
    const none = createToolRegistry();
    registerSkillTools(none, { skills });
    expect(none.canonicalFor('run_skill_script', 'runtime')).toBeUndefined();
  });

  test('K2: a script runs in its skill’s folder with its arguments, and needs a capability', async () => {
    await using folder = await createSkillFolder(reports);
    await using temporary = await openTemporaryStore();
    const { skills } = await findSkills([folder.path]);
    const { codeExecutor } = createServices(['codeExecutor'], temporary.options());
    const registry = createToolRegistry();
    const tools = registerSkillTools(registry, { skills, ...(codeExecutor && { codeExecutor }) });
    const run = tools.find(({ name }) => name === 'run_skill_script');
    expect(run?.capabilities).toEqual([{ capability: 'skill.run', target: { argument: 'skill' } }]);
    const input = { skill: 'reports', script: 'scripts/sum.py', arguments: ['1', '2'] };
    expect(await call(registry, run, { input })).toMatchObject({
      type: 'completed',
      output: { end: 'exited', exitCode: 0, stdout: '3 True\n' },
    });
    for (const [bad, problem] of [
      [{ skill: 'reports' }, 'script to be a text'],
      [{ ...input, arguments: [1] }, 'arguments to be a list of texts'],
    ] as const) {
      expect(await call(registry, run, { input: bad })).toEqual({
        type: 'invalid-input',
        reason: `input: expected ${problem}.`,
      });
    }
  });

  test('K2: a model is told the whole form of the arguments', () => {
    const registry = createToolRegistry();
    const [load, , run] = registerSkillTools(registry, { skills: [], codeExecutor: executor });
    const text = { type: 'string' };
    const form = { type: 'object', additionalProperties: false };
    expect(load && toJsonSchema(load.inputSchema)).toEqual({
      ...form,
      properties: { skill: text },
      required: ['skill'],
    });
    expect(run && toJsonSchema(run.inputSchema)).toEqual({
      ...form,
      properties: { skill: text, script: text, arguments: { type: 'array', items: text } },
      required: ['skill', 'script'],
    });
  });

  test.each([
    ['a.js', 'javascript'],
    ['a.mjs', 'javascript'],
    ['a.cjs', 'javascript'],
    ['a.b.py', 'python'],
    ['a.sh', 'shell'],
  ])('K2: %s is run as %s, without arguments unless some are given', async (file, language) => {
    await using folder = await createSkillFolder({ ...reports, [`reports/${file}`]: '' });
    const runs: unknown[] = [];
    const codeExecutor: CodeExecutor = {
      run: async ({ signal: _, ...run }) => {
        runs.push(run);
        return expect.anything();
      },
    };
    const registry = createToolRegistry();
    const { skills } = await findSkills([folder.path]);
    const [, , run] = registerSkillTools(registry, { skills, codeExecutor });
    await call(registry, run, { input: { skill: 'reports', script: file } });
    const root = await realpath(path.join(folder.path, 'reports'));
    expect(runs).toEqual([
      { language, source: { file: path.join(root, file) }, arguments: [], folder: skills[0]?.folder },
    ]);
  });

  test.each(['a.py.txt', 'makefile', 'a.'])('K2: %s is no script', async (file) => {
    await using folder = await createSkillFolder({ ...reports, [`reports/${file}`]: '' });
    const registry = createToolRegistry();
    const { skills } = await findSkills([folder.path]);
    const [, , run] = registerSkillTools(registry, { skills, codeExecutor: executor });
    expect(await call(registry, run, { input: { skill: 'reports', script: file } })).toMatchObject({
      type: 'failed',
      error: {
        message: expect.stringContaining('a script that ends in js, mjs, cjs, py, sh; it ends otherwise'),
      },
    });
  });

  test('T3: the tools of skills resolve', async () => {
    const registry = createToolRegistry();
    for (const tool of registerSkillTools(registry, { skills: [], codeExecutor: executor })) {
      expect(registry.resolve(tool)).toBe(tool);
    }
  });
});
