import type { SessionTaskStore, TaskRecord } from '@quartermaster/store';
import type { SessionRef } from '../session-ref.ts';

/** The plan and the tasks of one session. */
export interface TaskStore {
  savePlan(text: string): Promise<void>;
  /** Nothing before the first save. */
  readPlan(): Promise<string | undefined>;
  /** Replaces all of them. */
  saveTasks(tasks: readonly TaskRecord[]): Promise<void>;
  /** In the order they were saved. */
  readTasks(): Promise<readonly TaskRecord[]>;
}

/** The tasks of `session`. */
export function createTaskStore(store: SessionTaskStore, session: SessionRef): TaskStore {
  return {
    savePlan: (text) => store.savePlan(session, text),
    readPlan: () => store.readPlan(session),
    saveTasks: (tasks) => store.saveTasks(session, tasks),
    readTasks: () => store.readTasks(session),
  };
}
