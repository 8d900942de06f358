import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createStage, eventsOf, script } from './harness.ts';
import type { Stage } from './harness.ts';
import { startTeam } from './running-team.ts';

async function writeSkill(stage: Stage, folder: string, description: string): Promise<void> {
  const place = path.join(stage.folder, folder);
  await mkdir(place, { recursive: true });
  const matter = `---\nname: ${path.basename(folder)}\ndescription: ${description}\n---\n`;
  await writeFile(path.join(place, 'SKILL.md'), `${matter}Run brew.sh.\n`);
  await writeFile(path.join(place, 'brew.sh'), 'echo "brewed $1"\n');
}

const systems = ({ bodies }: Stage): readonly string[] => bodies.map(({ system }) => system[0].text);

test('RT3: an agent is told of its skills in a line each, loads one and runs its script', async () => {
  await using stage = await createStage();
  await writeSkill(stage, 'skills/tea', 'How tea is brewed.');
  const text = `
agents: [{name: main, instruction: Help., toolsets: [recipes]}]
toolsets: {recipes: {type: skills, folders: [skills]}}
permissions: {rules: [{allow: skill.run, target: tea}]}`;
  await using run = await startTeam(stage, text);
  const { events } = await run.play(
    script(
      { tool: 'load_skill', input: { skill: 'tea' } },
      { tool: 'run_skill_script', input: { skill: 'tea', script: 'brew.sh', arguments: ['Assam'] } },
    ),
  );
  expect(systems(stage)[0]).toMatch(/^Help\.\n\nSkills.* load_skill .*:\n- tea: How tea is brewed\.$/);
  const results = eventsOf(events, 'tool-result').map(({ result }) => result.text);
  expect(results).toEqual([expect.stringContaining('Run brew.sh.'), expect.stringContaining('brewed Assam')]);
});

test('RT3: agents with skills of their own are told of their own', async () => {
  await using stage = await createStage();
  await writeSkill(stage, 'one/tea', 'Brew.');
  await writeSkill(stage, 'two/ink', 'Write.');
  const text = `
agents:
  - {name: main, instruction: Help., toolsets: [one], subAgents: [helper]}
  - {name: helper, instruction: Help too., toolsets: [two]}
toolsets: {one: {type: skills, folders: [one]}, two: {type: skills, folders: [two]}}`;
  await using run = await startTeam(stage, text);
  const inner = JSON.stringify([{ tool: 'load_skill', input: { skill: 'tea' } }]);
  const { events } = await run.play(
    script({ tool: 'hand_off_to_helper', input: { task: `##${inner}##` } }, { text: 'done' }),
  );
  expect(systems(stage)[0]).toContain('- tea: Brew.');
  expect(systems(stage)[1]).toContain('- ink: Write.');
  expect(systems(stage)[1]).not.toContain('tea');
  expect(eventsOf(events, 'tool-result')[0]?.result).toMatchObject({
    outcome: 'failed',
    text: expect.stringContaining('a skill among ink'),
  });
});

test('RT3: folders that hold no skill are told, and nothing is said of skills', async () => {
  await using stage = await createStage();
  const text = `
agents: [{name: main, instruction: Help., toolsets: [recipes]}]
toolsets: {recipes: {type: skills, folders: [skils]}}`;
  await using run = await startTeam(stage, text);
  await run.play('hello');
  expect(run.warnings).toEqual(['toolset recipes: no folder with a SKILL.md in skils']);
  expect(systems(stage)).toEqual(['Help.']);
});
