import type { McpTool } from '@quartermaster/agent/engine';
import { readArgumentSchema } from './argument-schema.ts';
import type { ArgumentForm } from './argument-schema.ts';

/** A tool that can be offered. */
export interface AdmittedTool extends McpTool {
  readonly wrappedIn?: ArgumentForm['wrappedIn'];
}

/** What of a list can be offered, in its order, and for people why the rest can't. */
export interface Admission {
  readonly admitted: readonly AdmittedTool[];
  /** One line for each tool that was left out, and for each thing of one that was. */
  readonly problems: readonly string[];
}

const maxNameCharacters = 1_000;
const maxDescriptionCharacters = 10_000;

/**
 * Chooses what can be offered of a list: a broken tool hides no other one (case 119), a second one of a name is left
 * out, and what a server says of deferral is not followed: that is set in the agent file alone (case 29).
 */
export function admitTools(listed: readonly unknown[]): Admission {
  const admitted = new Map<string, AdmittedTool>();
  const problems: string[] = [];
  for (const [index, tool] of listed.entries()) {
    const read = readTool(tool);
    if (read.type === 'refused') problems.push(`tool ${read.name ?? `number ${index + 1}`}: ${read.reason}.`);
    else if (admitted.has(read.tool.name)) {
      problems.push(`tool ${show(read.tool.name)}: it is listed a second time; the first one counts.`);
    } else {
      admitted.set(read.tool.name, read.tool);
      if (read.asksForDeferral) problems.push(`tool ${show(read.tool.name)}: ${deferralNote}`);
    }
  }
  return { admitted: [...admitted.values()], problems };
}

const deferralNote = 'its defer_loading is ignored; set defer on the toolset.';

type ToolReading =
  | { readonly type: 'tool'; readonly tool: AdmittedTool; readonly asksForDeferral: boolean }
  | { readonly type: 'refused'; readonly name?: string; readonly reason: string };

function readTool(listed: unknown): ToolReading {
  if (typeof listed !== 'object' || listed === null) return { type: 'refused', reason: 'it is no object' };
  const { name, description, inputSchema, defer_loading: deferral } = listed as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return { type: 'refused', reason: 'it has no name' };
  if (name.length > maxNameCharacters) {
    return { type: 'refused', name: show(name), reason: `its name has ${name.length} characters` };
  }
  const reading = readArgumentSchema(inputSchema);
  if (reading.type === 'refused') return { ...reading, name: show(name) };
  const { schema, wrappedIn } = reading.form;
  const text = typeof description === 'string' ? readDescription(description) : '';
  const tool = {
    name,
    inputSchema: schema,
    ...(text !== '' && { description: text }),
    ...(wrappedIn !== undefined && { wrappedIn }),
  };
  return { type: 'tool', tool, asksForDeferral: deferral !== undefined && deferral !== false };
}

/** No control characters, and none that hide or turn text: what a person reads is what the model reads. */
function readDescription(text: string): string {
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(hidden, '').slice(0, maxDescriptionCharacters).trim();
}

/** As people read it: quoted, and not longer than a line. */
function show(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
