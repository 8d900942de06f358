/** One step of a session's work. */
export interface Task {
  readonly title: string;
  readonly status: 'pending' | 'in-progress' | 'done';
}

/** The plan and the tasks of one session. */
export interface TaskStore {
  savePlan(text: string): Promise<void>;
  readPlan(): Promise<string | undefined>;
  /** Replaces all of them. */
  saveTasks(tasks: readonly Task[]): Promise<void>;
  /** In the order they were saved; none before the first save. */
  readTasks(): Promise<readonly Task[]>;
}
