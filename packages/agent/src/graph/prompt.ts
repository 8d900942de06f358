import type { AgentConfig, Prompt } from './agent-config.ts';
import { AgentGraphError } from './agent-graph-error.ts';

/** Throws `AgentGraphError` for what can't be a prompt, without calling a factory (G4). */
export function checkPrompt({ name, prompt }: AgentConfig<never>): void {
  if (typeof prompt === 'string') return;
  if (typeof prompt !== 'function') throw notPrompt(name, `got ${typeof prompt}`);
  const kind = Object.prototype.toString.call(prompt).slice('[object '.length, -1);
  if (kind !== 'Function') throw notPrompt(name, `got an ${kind}, and a prompt must be there at once`);
  if (prompt.length > 1) throw notPrompt(name, `got a function of ${prompt.length} arguments`);
}

/**
 * The text of an agent's prompt under the settings of its manager. Throws `AgentGraphError` when a factory throws or
 * gives anything but a text (G4).
 */
export function resolvePrompt<Settings>(config: AgentConfig<Settings>, settings: Settings): string {
  checkPrompt(config);
  const text = call(config.name, config.prompt, settings);
  if (typeof text === 'string') return text;
  if (text instanceof Promise) text.catch(() => undefined); // it is refused, whatever becomes of it
  throw notPrompt(config.name, `its factory gave ${text instanceof Promise ? 'a promise' : typeof text}`);
}

function call<Settings>(name: string, prompt: Prompt<Settings>, settings: Settings): unknown {
  if (typeof prompt === 'string') return prompt;
  try {
    return prompt.length === 0 ? Reflect.apply(prompt, undefined, []) : prompt(settings);
  } catch (cause) {
    throw new AgentGraphError([name], `Agent "${name}": its prompt factory failed.`, { cause });
  }
}

function notPrompt(name: string, came: string): AgentGraphError {
  return new AgentGraphError(
    [name],
    `Agent "${name}": expected a prompt that is a text, or a function that makes one of the settings or of nothing; ${came}.`,
  );
}
