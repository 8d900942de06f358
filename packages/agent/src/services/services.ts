import type { CodeExecutor } from './code-executor.ts';
import type { KnowledgeBase } from './knowledge-base.ts';
import type { Memory } from './memory.ts';
import type { TaskStore } from './task-store.ts';

/** The services of one run. `userKnowledgeBase` can't be asked for by itself: it comes with `knowledgeBase` (S1). */
export interface Services {
  /** What the project knows. */
  readonly knowledgeBase: KnowledgeBase;
  /** What the user knows, whatever the project. */
  readonly userKnowledgeBase: KnowledgeBase;
  readonly memory: Memory;
  readonly taskStore: TaskStore;
  readonly codeExecutor: CodeExecutor;
}
