import { expect } from 'vitest';

/** A body's prompt as bytes, without the cache marks, which are no part of it. */
interface Prompt {
  /** What stands before the conversation. */
  readonly head: string;
  /** The conversation, without its closing bracket. */
  readonly said: string;
}

/** That each body begins with the one before it, byte for byte. */
export function expectGrowing(bodies: readonly string[]): void {
  const prompts = bodies.map(promptOf);
  for (const [index, later] of prompts.entries()) {
    const earlier = prompts[index - 1];
    if (earlier === undefined) continue;
    expect(later.head).toBe(earlier.head);
    expect(later.said.slice(0, earlier.said.length)).toBe(earlier.said);
    expect(later.said.length).toBeGreaterThan(earlier.said.length);
  }
}

function promptOf(body: string): Prompt {
  const unmarked = body.replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  const { messages, input, contents, ...head } = JSON.parse(unmarked);
  return { head: JSON.stringify(head), said: JSON.stringify(messages ?? input ?? contents).slice(0, -1) };
}
