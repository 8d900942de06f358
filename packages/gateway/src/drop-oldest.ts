/**
 * Lets the oldest entry of a map or a set go where there are more than `most` (FA5); its key. What is set again stays where
 * it was, so that it has to be deleted first to be the youngest.
 */
export function dropOldest<Key extends string | number | object>(
  entries: Pick<Map<Key, unknown>, 'size' | 'delete'> & { keys(): Iterable<Key> },
  most: number,
): Key | undefined {
  if (entries.size <= most) return undefined;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
  return oldest;
}
