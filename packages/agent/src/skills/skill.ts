/** A folder with a `SKILL.md` (K1). */
export interface Skill {
  readonly name: string;
  /** When to use it; one line. */
  readonly description: string;
  readonly folder: string;
}

/** What the model is told of all the skills: one line each, the bodies on demand (K1). */
export function listSkills(skills: readonly Skill[]): string {
  return skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}
