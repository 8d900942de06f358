// The services that tools can require, and how a run builds them.
export { bindServices } from './services/bind-services.ts';
export { createCodeExecutor } from './services/code-executor.ts';
export type { CodeExecutor, CodeExecutorOptions, CodeRun } from './services/code-executor.ts';
export { readHost } from './services/config.ts';
export type { Host } from './services/config.ts';
export { createServices } from './services/create-services.ts';
export type { ServiceOptions } from './services/create-services.ts';
export type { KnowledgeBase } from './services/knowledge-base.ts';
export type { Memory } from './services/memory.ts';
export { readUrlSource } from './services/read-source.ts';
export type { SourceText } from './services/read-source.ts';
export { requiredServices } from './services/required-services.ts';
export { KNOWN_SERVICE_KEYS } from './services/service-key.ts';
export type { ServiceKey } from './services/service-key.ts';
export type { Services } from './services/services.ts';
export type { TaskStore } from './services/task-store.ts';
export { scrubEnvironment } from './services/scrubbed-environment.ts';
