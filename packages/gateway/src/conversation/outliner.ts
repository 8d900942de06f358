import {
  type Items,
  moveTools,
  type OutlineResult,
  outlineMessages,
  type Span,
  type ToolEntry,
} from '@quartermaster/wire';
import { setYoungest } from '../drop-oldest.ts';
import { detach } from '../latin1.ts';
import { digestOf, unmarked } from './digest.ts';

/**
 * Outlines a tenant's requests. It remembers the last few lists of `tools`, which are half of many a request and the
 * same bytes in each request of a conversation.
 */
export type Outliner = (tenant: string, text: string) => Outlined;

export interface Outlined {
  readonly read: OutlineResult;
  /** The `digestOf` each tool, its mark aside; `undefined` where it is still to be told. */
  readonly toolDigests?: readonly number[] | undefined;
}

interface KnownList {
  readonly json: string;
  readonly digests: readonly number[];
  /** As it stands in a text of its own. */
  readonly tools: Items<ToolEntry>;
}

/** A conversation has one list, its sub-agents have others. */
const maxLists = 8;
/** Beyond it the tenants whose lists have not changed for longest are forgotten. */
const maxTenants = 256;
/** Shorter ones are as quick to read, longer ones cost too much to keep. */
const keptLength = { least: 1_024, most: 512 * 1_024 };

export function createOutliner(): Outliner {
  const tenants = new Map<string, KnownList[]>();

  function find(lists: KnownList[], text: string, start: number): KnownList | undefined {
    // A slice is compared as memory is; `startsWith` would look at each character.
    const at = lists.findIndex(({ json }) => text.slice(start, start + json.length) === json);
    const [found] = at === -1 ? [] : lists.splice(at, 1);
    if (found !== undefined) lists.unshift(found);
    return found;
  }

  return (tenant, text) => {
    const lists = tenants.get(tenant) ?? [];
    let known: KnownList | undefined;
    const read = outlineMessages(text, (_, start) => {
      known = find(lists, text, start);
      return known && moveTools(known.tools, start - known.tools.span.start);
    });
    if (known !== undefined) return { read, toolDigests: known.digests };
    const span = read.type === 'outline' ? read.outline.tools?.span : undefined;
    const seen = span && readAlone(text, span);
    if (seen !== undefined) {
      lists.unshift(seen);
      lists.splice(maxLists);
      setYoungest(tenants, tenant, lists, maxTenants);
    }
    return { read };
  };
}

/** A list outside of its request, which names that are cut out of that would keep alive. */
function readAlone(text: string, { start, end }: Span): KnownList | undefined {
  if (end - start < keptLength.least || end - start > keptLength.most) return undefined;
  const alone = detach(`{"tools":${text.slice(start, end)}}`);
  const read = outlineMessages(alone);
  const tools = read.type === 'outline' ? read.outline.tools : undefined;
  if (tools === undefined) return undefined;
  const digests = tools.items.map((tool) => digestOf(unmarked(alone, tool)));
  return { json: alone.slice(tools.span.start, tools.span.end), tools, digests };
}
