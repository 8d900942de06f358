import { AgentError } from '../agent-error.ts';

/** What a tool can ask for (S1). An application can not add a kind of its own (S3). */
export const KNOWN_SERVICE_KEYS = Object.freeze([
  'knowledgeBase',
  'memory',
  'taskStore',
  'codeExecutor',
] as const);

/** A kind of service that a tool can declare. */
export type ServiceKey = (typeof KNOWN_SERVICE_KEYS)[number];

/** The services that tool `name` requires, as a list. Throws `AgentError` for a key that can't be declared (S1). */
export function parseServiceKeys(
  name: string,
  requires: string | readonly string[] = [],
): readonly ServiceKey[] {
  const keys = typeof requires === 'string' ? [requires] : requires;
  return keys.map((key) => parseServiceKey(name, key));
}

function parseServiceKey(name: string, key: string): ServiceKey {
  const known = KNOWN_SERVICE_KEYS.find((one) => one === key);
  if (known !== undefined) return known;
  if (key === 'userKnowledgeBase') {
    throw new AgentError(
      'SERVICE_UNKNOWN',
      `Tool "${name}": userKnowledgeBase can't be required by itself; it is made together with knowledgeBase. ` +
        "Say requires: 'knowledgeBase', which gives both.",
    );
  }
  throw new AgentError(
    'SERVICE_UNKNOWN',
    `Tool "${name}": expected services among ${KNOWN_SERVICE_KEYS.join(', ')}; it requires "${key}".`,
  );
}
