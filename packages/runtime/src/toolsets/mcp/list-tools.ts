import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** What a server listed. */
export interface ListedTools {
  /** As they came: nothing of them was looked at. */
  readonly tools: readonly unknown[];
  /** Whether the list ended at a limit of ours and not at its end. */
  readonly isCut: boolean;
}

/** The client's own schema would refuse the whole list for one broken tool (case 119). */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

const maxTools = 5_000;
const maxPages = 1_000;

/** All pages of a server's list, up to 5,000 tools; a cursor that comes again ends it. */
export async function listTools(
  client: Client,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<ListedTools> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages && tools.length <= maxTools; pages += 1) {
    const request = { method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) };
    const listed = await client.request(request, page, { signal, timeout: timeoutMs });
    for (const tool of listed.tools) tools.push(tool);
    cursor = listed.nextCursor ?? undefined;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return { tools: tools.slice(0, maxTools), isCut: cursor !== undefined || tools.length > maxTools };
}
