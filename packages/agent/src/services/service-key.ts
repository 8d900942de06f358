/** What a tool can ask for (S1). An application can not add a kind of its own (S3). */
export const KNOWN_SERVICE_KEYS = ['knowledgeBase', 'memory', 'taskStore', 'codeExecutor'] as const;

/** A kind of service that a tool can declare. */
export type ServiceKey = (typeof KNOWN_SERVICE_KEYS)[number];
