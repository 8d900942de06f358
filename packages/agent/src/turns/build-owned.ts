/** Something that its owner closes. */
export interface Closable {
  close(): void | Promise<void>;
}

/** Takes over what `open` gives: it is closed with the others, and also when it comes after the build has failed. */
export type Own = <Resource extends Closable>(open: () => Resource | Promise<Resource>) => Promise<Resource>;

/** A value and all that was opened for it. */
export interface Owned<Value> {
  readonly value: Value;
  /** Closes all of it, the last opened first, also when one of them fails (L4). Called again, it waits for the first. */
  close(): Promise<void>;
}

/**
 * Builds a whole or nothing: what throws, or is aborted, has let go of all that was opened by then or was still being
 * opened (L3). Backends start with it.
 */
export async function buildOwned<Value>(
  build: (own: Own) => Promise<Value>,
  { signal }: { readonly signal: AbortSignal },
): Promise<Owned<Value>> {
  const opening = new Set<Promise<unknown>>();
  const opened: Closable[] = [];
  const own: Own = async (open) => {
    signal.throwIfAborted();
    const attempt = Promise.resolve().then(open);
    opening.add(attempt);
    const resource = await attempt;
    opened.push(resource);
    signal.throwIfAborted();
    return resource;
  };
  try {
    const value = await build(own);
    signal.throwIfAborted();
    let closing: Promise<void> | undefined;
    return { value, close: () => (closing ??= closeOrThrow(opened)) };
  } catch (error) {
    await Promise.allSettled(opening);
    const faults = await closeAll(opened);
    if (faults.length === 0) throw error;
    const errors = [error, ...faults];
    throw new AggregateError(errors, `${String(error)}; then closings failed`, { cause: error });
  }
}

async function closeOrThrow(opened: Closable[]): Promise<void> {
  const faults = await closeAll(opened);
  if (faults.length === 1) throw faults[0];
  if (faults.length > 1) throw new AggregateError(faults, `${faults.length} closings failed`);
}

/** What failed; each waits for the one before, since that may still use it. */
async function closeAll(opened: Closable[]): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (const resource of opened.splice(0).reverse()) {
    try {
      await resource.close();
    } catch (error) {
      faults.push(error);
    }
  }
  return faults;
}
