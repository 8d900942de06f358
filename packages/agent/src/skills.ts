// Skills: folders with a SKILL.md, and the tools that load them.
export { findSkills } from './skills/find-skills.ts';
export type { FoundSkills } from './skills/find-skills.ts';
export { registerSkillTools } from './skills/skill-tools.ts';
export type { SkillToolOptions } from './skills/skill-tools.ts';
export { listSkills } from './skills/skill.ts';
export type { Skill } from './skills/skill.ts';
