import type { Tool, ToolRegistry } from '@quartermaster/agent';
import { assembleTools, toJsonSchema } from '@quartermaster/agent/engine';
import type { AssembledTool, ToolAssembly, ToolReference } from '@quartermaster/agent/engine';
import type { JsonValue } from '@quartermaster/agent/messages';
import type { ToolDeclaration } from '@quartermaster/providers';
import type { IssueCatalogueTools } from '../toolsets/catalogue/catalogue-tools.ts';
import { withCatalogue } from '../toolsets/catalogue/with-catalogue.ts';

/** The engine's name, for tools that have a variant for each engine (T8). */
export const runtimeBackendName = 'runtime';

/** What an agent has at one moment: tools to call, and what a model is told of them. */
export interface Toolbox extends ToolAssembly {
  readonly declarations: readonly ToolDeclaration[];
}

/** Opens the toolbox of an agent, in a session whose model has added these tools of its catalogue. */
export type OpenToolbox = (added: ReadonlySet<string>) => Toolbox;

/** Where an agent's tools come from; asked at each opening, since tools may come later. */
export interface ToolSources {
  readonly own: () => readonly ToolReference[];
  /** Those that wait until they are looked for (D4). */
  readonly catalogue: () => readonly ToolReference[];
  /** Left out where no agent has a catalogue. */
  readonly issueCatalogueTools: IssueCatalogueTools | undefined;
}

/** A tool is described once, so that it stays the same. What waits in the catalogue can be called like any other. */
export function createToolbox(
  registry: ToolRegistry,
  { own, catalogue, issueCatalogueTools }: ToolSources,
): OpenToolbox {
  const described = new WeakMap<object, ToolDeclaration>();
  const describe = (tool: AssembledTool): ToolDeclaration => {
    const key = tool.type === 'bound' ? tool.definition : tool.supplied;
    const declaration = described.get(key) ?? declare(tool);
    described.set(key, declaration);
    return declaration;
  };
  const assemble = (references: readonly ToolReference[]): ToolAssembly =>
    assembleTools(registry, references, { backend: runtimeBackendName });
  return (added) => {
    const waiting = assemble(catalogue()).tools.filter(hasName);
    const pair = waiting.length === 0 ? [] : (issueCatalogueTools?.(() => declarations) ?? []);
    const loaded = assemble([...own(), ...pair]);
    const declarations = withCatalogue({
      declarations: loaded.tools.filter(hasName).map(describe),
      catalogue: waiting.map(describe),
      added,
    });
    const named = new Map(waiting.map((tool) => [tool.name, tool]));
    const find = (name: string): AssembledTool | undefined => loaded.find(name) ?? named.get(name);
    return { tools: [...loaded.tools, ...waiting], find, declarations };
  };
}

/** What was never bound is declared under the name it has, and denied when it is called (T4). */
function hasName({ name }: AssembledTool): boolean {
  return /^[\w-]{1,64}$/.test(name);
}

function declare(tool: AssembledTool): ToolDeclaration {
  if (tool.type === 'bound') return declareTool(tool.definition);
  return { name: tool.name, description: tool.name, inputSchema: { type: 'object' } };
}

function declareTool({ name, description, inputSchema }: Tool): ToolDeclaration {
  return { name, description, inputSchema: toJsonSchema(inputSchema) as Readonly<Record<string, JsonValue>> };
}
