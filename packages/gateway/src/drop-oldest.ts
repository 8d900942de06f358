/**
 * Sets an entry of a map whose order is that of age, and lets the oldest one go where there are more than `most` (FA5);
 * its key. What is set again is the youngest again.
 */
export function setYoungest<Key extends string | number | object, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): Key | undefined {
  entries.delete(key);
  entries.set(key, value);
  return dropOldest(entries, most);
}

/** Lets the oldest entry of a map or a set go where there are more than `most` (FA5); its key. */
export function dropOldest<Key extends string | number | object>(
  entries: Pick<Map<Key, unknown>, 'size' | 'delete'> & { keys(): Iterable<Key> },
  most: number,
): Key | undefined {
  if (entries.size <= most) return undefined;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
  return oldest;
}
