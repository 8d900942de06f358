import type { TaskRecord } from '@quartermaster/store';
import type { TaskStore } from '../services/task-store.ts';
import { fromJsonSchema } from './from-json-schema.ts';
import { readMember, readText, textsSchema } from './text-input.ts';
import type { ToolRegistry } from './tool-registry.ts';
import type { InputSchema, Tool, ToolContext, ToolDefinition } from './tool.ts';

/** Where a backend keeps what the state tools save: a service, a graph's state, a session's. */
export interface StateVariant {
  /** The backend that these variants are for. */
  readonly backend: string;
  readonly requires?: ToolDefinition['requires'];
  /** The state that belongs to a call. */
  readonly state: (context: ToolContext) => TaskStore;
}

/** The backends of this project; another one may have variants too. */
const stateBackends: readonly string[] = ['adk', 'langgraph', 'runtime'];

const stateTools = {
  save_plan: 'Save the plan of this session, in place of the one before.',
  get_plan: 'Read the plan that was saved in this session.',
  save_tasks: 'Save the list of tasks of this session, in place of the one before.',
  get_tasks: 'Read the tasks that were saved in this session, in their order.',
} as const;

/** States the four tools that each backend provides in its own way. Again is fine (T9). */
export function declareStateTools(registry: ToolRegistry): void {
  for (const [name, description] of Object.entries(stateTools)) {
    registry.declare(name, { description, capabilities: 'exempt', backends: stateBackends });
  }
}

/** Registers one backend's variants; which one an agent gets is decided by its backend, never by the order (T9). */
export function registerStateTools(registry: ToolRegistry, variant: StateVariant): readonly Tool[] {
  declareStateTools(registry);
  return stateDefinitions(variant).map((definition) =>
    registry.register(definition, { variantOf: definition.name, backend: variant.backend }),
  );
}

function stateDefinitions({ requires, state }: StateVariant): readonly ToolDefinition[] {
  const define = <Input>(
    name: keyof typeof stateTools,
    inputSchema: InputSchema<Input>,
    run: ToolDefinition<Input>['run'],
  ): ToolDefinition => ({
    name,
    description: stateTools[name],
    inputSchema,
    ...(requires !== undefined && { requires }),
    run,
  });
  return [
    define('save_plan', textsSchema(['plan']), async (input, context) => {
      await state(context).savePlan(readText(input, 'plan'));
      return { saved: true };
    }),
    define('get_plan', noInput, async (_, context) => ({ plan: (await state(context).readPlan()) ?? null })),
    define('save_tasks', tasksInput, async ({ tasks }, context) => {
      await state(context).saveTasks(tasks);
      return { saved: tasks.length };
    }),
    define('get_tasks', noInput, async (_, context) => ({ tasks: await state(context).readTasks() })),
  ];
}

const noInput = textsSchema([]);

const taskStatuses = ['pending', 'in-progress', 'done'] as const;

const tasksInput = fromJsonSchema(
  {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        items: {
          type: 'object',
          properties: { title: { type: 'string' }, status: { type: 'string', enum: taskStatuses } },
          required: ['title', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['tasks'],
    additionalProperties: false,
  },
  (value) => {
    const tasks = readMember(value, 'tasks');
    if (!Array.isArray(tasks)) throw badInput('tasks', 'a list');
    return { tasks: tasks.map(parseTask) };
  },
);

function parseTask(value: unknown): TaskRecord {
  const status = taskStatuses.find((one) => one === readMember(value, 'status'));
  if (status === undefined) throw badInput('status', `one of ${taskStatuses.join(', ')}`);
  return { title: readText(value, 'title'), status };
}

function badInput(key: string, expected: string): TypeError {
  return new TypeError(`expected ${key} to be ${expected}.`);
}
