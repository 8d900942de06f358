import type { ToolDefinition } from '@quartermaster/agent';
import { createCodeExecutor } from '@quartermaster/agent/services';
import type { Host } from '@quartermaster/agent/services';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { describeRun } from './describe-run.ts';

/** Where commands run, and on what host. */
export interface ShellOptions {
  readonly host: Host;
  /** Absolute. */
  readonly folder: string;
}

const defaultTimeoutSeconds = 120;
const mostTimeoutSeconds = 1_800;

/**
 * `run_command`. Each command of a line is judged by itself before it runs (P5). It gets no variable of this
 * process but the safe ones, so that no credential reaches it (RT4), and all that it started ends with it.
 */
export function shellTools({ host, folder }: ShellOptions): readonly ToolDefinition[] {
  const run = defineTool({
    name: 'run_command',
    description:
      'Run a command line with /bin/sh in the workspace, to its end. What it leaves running is ended.',
    inputSchema: z.strictObject({
      command: z.string(),
      timeoutSeconds: z.int().min(1).max(mostTimeoutSeconds).default(defaultTimeoutSeconds),
    }),
    capabilities: [{ capability: 'shell.run', target: { argument: 'command' } }],
    async run({ command, timeoutSeconds }, { signal }) {
      const executor = createCodeExecutor({ host, timeoutMs: timeoutSeconds * 1_000 });
      return describeRun(
        await executor.run({ language: 'shell', source: { code: command }, folder, signal }),
      );
    },
  });
  return [run];
}
