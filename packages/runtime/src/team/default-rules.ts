import type { PermissionRule } from '@quartermaster/agent/permissions';

const rule = (answer: PermissionRule['answer'], capability: string, target: string): PermissionRule => ({
  answer,
  capability,
  target,
  source: 'managed',
});

/**
 * What holds before anybody wrote a rule: the workspace is read, what the framework itself keeps is used, and the folders
 * of keys are asked about. A user's or a project's rule can only be stricter where one of these asks or denies.
 */
export const defaultRules: readonly PermissionRule[] = [
  rule('allow', 'filesystem.read', '**'),
  rule('allow', 'knowledge.read', '*'),
  rule('allow', 'knowledge.write', '*'),
  rule('allow', 'memory.*', '*'),
  ...['~/.ssh/**', '~/.aws/**', '~/.gnupg/**'].map((folder) => rule('ask', 'filesystem.*', folder)),
];
