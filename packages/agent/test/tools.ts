import { registerTool } from '@quartermaster/agent';
import type { Tool, ToolDefinition, ToolRegistry } from '@quartermaster/agent';
import { callTool } from '@quartermaster/agent/engine';
import type { ToolOutcome } from '@quartermaster/agent/engine';
import type { Services } from '@quartermaster/agent/services';
import { z } from 'zod';

/** The definition of a tool that answers with its input. */
export function echo(
  name: string,
  changes: Partial<ToolDefinition<{ text: string }>> = {},
): ToolDefinition<{ text: string }> {
  return {
    name,
    description: `Answers what it is given: ${name}.`,
    inputSchema: z.object({ text: z.string() }),
    capabilities: 'exempt',
    run: ({ text }) => text,
    ...changes,
  };
}

/** `echo`, registered. */
export function registerEcho(
  registry: ToolRegistry,
  name: string,
  changes: Partial<ToolDefinition<{ text: string }>> = {},
): Tool {
  return registerTool(registry, echo(name, changes));
}

/** What comes of a call that the gate allows. */
export function call(
  registry: ToolRegistry,
  candidate: unknown,
  { input = { text: 'hello' }, services = {} }: { input?: unknown; services?: Partial<Services> } = {},
): Promise<ToolOutcome> {
  return callTool(
    candidate,
    {
      callId: 'call-1',
      session: { app: 'app', user: 'user', session: 'ses' },
      input,
      signal: new AbortController().signal,
    },
    { registry, services, gate: () => Promise.resolve({ type: 'allow' }) },
  );
}
