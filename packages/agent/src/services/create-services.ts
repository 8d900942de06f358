import type { Store } from '@quartermaster/store';
import type { SessionRef } from '../session-ref.ts';
import { createCodeExecutor } from './code-executor.ts';
import type { CodeExecutorOptions } from './code-executor.ts';
import { createKnowledgeBase } from './knowledge-base.ts';
import { createMemory } from './memory.ts';
import type { ServiceKey } from './service-key.ts';
import type { Services } from './services.ts';
import { createTaskStore } from './task-store.ts';

/** What services are made of. */
export interface ServiceOptions {
  readonly store: Pick<Store, 'knowledge' | 'memory' | 'tasks'>;
  readonly session: SessionRef;
  /** The project that the session works in; names whose knowledge it has. */
  readonly project: string;
  readonly clock: { now(): number };
  readonly ids: () => string;
  readonly fetch: typeof globalThis.fetch;
  readonly codeExecutor: CodeExecutorOptions;
}

/** Builds the services of one run: those that its tools require and no other (S2). Nothing of them has to be closed. */
export function createServices(keys: readonly ServiceKey[], options: ServiceOptions): Partial<Services> {
  return Object.assign({}, ...keys.map((key) => builders[key](options))) as Partial<Services>;
}

/** One for each kind; an application can't add one (S3). */
const builders: Readonly<Record<ServiceKey, (options: ServiceOptions) => Partial<Services>>> = {
  knowledgeBase: ({ store, session: { app, user }, project, ...rest }) => {
    const create = (kind: 'project' | 'user', id: string) =>
      createKnowledgeBase({ ...rest, store: store.knowledge, owner: { app, kind, id } });
    return { knowledgeBase: create('project', project), userKnowledgeBase: create('user', user) };
  },
  memory: ({ store, session: { app, user }, clock, ids }) => ({
    memory: createMemory({ store: store.memory, owner: { app, user }, clock, ids }),
  }),
  taskStore: ({ store, session }) => ({ taskStore: createTaskStore(store.tasks, session) }),
  codeExecutor: ({ codeExecutor }) => ({ codeExecutor: createCodeExecutor(codeExecutor) }),
};
