/** All that the tools of any toolset ask for: a rule about anything else is a misspelt one (case 97). */
export const toolsetCapabilities: readonly string[] = [
  'filesystem.read',
  'filesystem.write',
  'shell.run',
  'network.fetch',
  'code.run',
  'knowledge.read',
  'knowledge.write',
  'memory.read',
  'memory.write',
  'skill.run',
  'mcp.call',
];
