import type { Tool } from '@quartermaster/agent';
import { AgentError } from '@quartermaster/agent';
import type { McpTools } from '@quartermaster/agent/engine';
import { admitTools } from './admit-tools.ts';
import type { AdmittedTool } from './admit-tools.ts';
import type { ListedTools } from './list-tools.ts';

/** What a server offers at one time. */
export interface Offer {
  /** In the server's order. */
  readonly tools: readonly Tool[];
  /** By the server's own names. */
  readonly admitted: ReadonlyMap<string, AdmittedTool>;
  readonly listed: number;
  /** For people; the same ones each time that the same is listed. */
  readonly problems: readonly string[];
}

/** Of a server that listed nothing yet. */
export const emptyOffer: Offer = { tools: [], admitted: new Map(), listed: 0, problems: [] };

/** Issues what can be offered of a list; with `wanted` only those names. */
export function makeOffer(
  { tools: listed, isCut }: ListedTools,
  { issuer, wanted }: { readonly issuer: McpTools; readonly wanted: readonly string[] | undefined },
): Offer {
  const { admitted, problems } = admitTools(listed);
  const chosen = wanted === undefined ? admitted : admitted.filter(({ name }) => wanted.includes(name));
  const issued = chosen.map((tool) => issue(issuer, tool));
  return {
    tools: issued.flatMap((each) => (each.type === 'tool' ? [each.tool] : [])),
    admitted: new Map(
      issued.flatMap((each) => (each.type === 'tool' ? [[each.listed.name, each.listed]] : [])),
    ),
    listed: listed.length,
    problems: [
      ...problems,
      ...issued.flatMap((each) => (each.type === 'refused' ? [each.problem] : [])),
      ...missing(wanted, admitted),
      ...(isCut ? [`its list of tools does not end; the first ${listed.length} count.`] : []),
    ],
  };
}

type Issued =
  | { readonly type: 'tool'; readonly tool: Tool; readonly listed: AdmittedTool }
  | { readonly type: 'refused'; readonly problem: string };

/** One at a time, so that one whose name is taken hides no other. */
function issue(issuer: McpTools, listed: AdmittedTool): Issued {
  try {
    const [tool] = issuer.update([listed]);
    if (tool !== undefined) return { type: 'tool', tool, listed };
    return { type: 'refused', problem: `tool ${JSON.stringify(listed.name)}: it was not issued.` };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { type: 'refused', problem: `tool ${JSON.stringify(listed.name)}: ${error.message}` };
  }
}

function missing(
  wanted: readonly string[] | undefined,
  admitted: readonly AdmittedTool[],
): readonly string[] {
  const names = new Set(admitted.map(({ name }) => name));
  return (wanted ?? [])
    .filter((name) => !names.has(name))
    .map(
      (name) => `tool ${JSON.stringify(name)}: the agent file names it, and the server does not offer it.`,
    );
}

/** Names of tools that are other ones than before: another text or another form of arguments (P6, case 99). */
export function changedTools(former: Offer, offer: Offer): readonly string[] {
  const byName = new Map(former.tools.map((tool) => [tool.name, tool]));
  return offer.tools.filter((tool) => (byName.get(tool.name) ?? tool) !== tool).map(({ name }) => name);
}
