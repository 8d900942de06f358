/**
 * What the API takes and refuses by generation of a model (§1.16.2 rows 15–18, §1.17 of the wire contract). Not in the
 * catalog, since the vendor says it of generations: it holds for models that no table has yet, and for the names that
 * other providers give to Claude's (`us.anthropic.claude-opus-4-5-20251101-v1:0`).
 */
export interface AnthropicGeneration {
  /** How thinking is asked for; `none` before 3.7. */
  readonly thinking: 'adaptive' | 'budget' | 'none';
  /** Whether thinking can be switched off. */
  readonly canBeQuiet: boolean;
  /** Whether a temperature other than the default is taken. */
  readonly takesTemperature: boolean;
}

/** A model whose id says nothing is taken to be like the newest. */
const newest: AnthropicGeneration = { thinking: 'adaptive', canBeQuiet: false, takesTemperature: false };

/** Read off family and version in an id: `claude-opus-4-5-20251101`, `claude-3-7-sonnet-latest`, `claude-fable-5.2`. */
export function generationOf(id: string): AnthropicGeneration {
  const match = /claude-(?:(\d)-(?:(\d)-)?)?([a-z]+)(?:-(\d{1,2})(?!\d)(?:[-.](\d)(?!\d))?)?/.exec(id);
  const major = match?.[1] ?? match?.[4];
  if (match === null || major === undefined) return newest;
  const version = Number(`${major}.${match[2] ?? match[5] ?? 0}`);
  const family = match[3] ?? '';
  const isAlwaysThinking = version >= 5.5 || family === 'fable' || family === 'mythos';
  return {
    thinking: version < 3.7 ? 'none' : version < 4.6 ? 'budget' : 'adaptive',
    canBeQuiet: !isAlwaysThinking,
    takesTemperature: version < 5 && !isAlwaysThinking,
  };
}
