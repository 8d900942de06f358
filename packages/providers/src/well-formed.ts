/**
 * The body with no half of a character in its texts, as a tool's output that was cut in the middle of an emoji has one:
 * JSON can carry it, and vendors refuse the whole request.
 */
export function toWellFormed<Body>(body: Body): Body {
  return mendValue(body) as Body;
}

function mendValue(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mendValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), mendValue(member)]),
  );
}
