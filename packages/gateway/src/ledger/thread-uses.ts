import { setYoungest } from '../drop-oldest.ts';

/** Which deferred tools each thread has used, so that a wrong guess is counted once per tool and thread (LE4). */
export interface ThreadUses {
  /** Notes what the transcript shows and answers the tools that were not known to be used. */
  noteTranscript(thread: string, tools: readonly string[], isFirstRequest: boolean): number;
  /** The same for the calls of an answer. */
  noteCalls(thread: string, tools: readonly string[]): number;
}

const maxThreads = 20_000;

/** In memory; the threads unused for longest give way beyond a bound. */
export function createThreadUses(): ThreadUses {
  const threads = new Map<string, Set<string>>();

  function usesOf(thread: string): Set<string> {
    const uses = threads.get(thread) ?? new Set();
    setYoungest(threads, thread, uses, maxThreads);
    return uses;
  }

  function note(thread: string, tools: readonly string[]): number {
    const uses = usesOf(thread);
    const before = uses.size;
    for (const tool of tools) uses.add(tool);
    return uses.size - before;
  }

  return {
    noteTranscript(thread, tools, isFirstRequest) {
      // A thread from before this process, or one that fell out of memory: its uses were counted when they happened.
      const isCountedBefore = !threads.has(thread) && !isFirstRequest;
      const added = note(thread, tools);
      return isCountedBefore ? 0 : added;
    },
    noteCalls: note,
  };
}
