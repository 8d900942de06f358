import type { IncomingHttpHeaders } from 'node:http';
import type { Catalog, Model } from '@quartermaster/catalog';
import { isSearchTool } from '@quartermaster/deferral';
import { type MessagesOutline, outlineMessages, type OutlineRefusal } from '@quartermaster/wire';
import { type Client, recogniseClient } from '../clients/table.ts';
import { type DecodedBody, decodeBody } from '../http/encoding.ts';
import { detach, latin1Of } from '../latin1.ts';
import { hasDuplicateNames, kindOf } from '../rewrite/tools.ts';
import { identify } from './identity.ts';
import { projectOf } from './project.ts';
import { type Transcript, transcriptOf } from './transcript.ts';

/** A Messages request that has been read whole. */
export interface MessagesRequest {
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** With its query. */
  readonly path: string;
  /** As it came, in the client's own encoding. */
  readonly body: Buffer;
}

/** What a request tells of the conversation that it belongs to. */
export interface Conversation {
  readonly tenant: string;
  readonly session: string;
  /** `main`, or what the client calls a sub-agent's conversation. */
  readonly agent: string;
  readonly project: string;
  readonly client: Client;
  /** The id that the request names, and what the catalog knows of it. */
  readonly modelId: string;
  readonly model: Model | undefined;
  readonly transcript: Transcript;
  /** The latin1 view of the decoded body, and its outline. */
  readonly text: string;
  readonly outline: MessagesOutline;
}

/** Why a request is no conversation that could be decided or edited (RW8, RW9, Q5). */
export type ReadRefusal =
  | OutlineRefusal
  | Extract<DecodedBody, { type: 'refused' }>['reason']
  | 'no-client-tools'
  | 'duplicate-tool-names';

export type ReadResult =
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  | { readonly type: 'refused'; readonly reason: ReadRefusal };

/** Reads a request as far as the gateway needs it; the body is never parsed whole. */
export async function readConversation(
  request: MessagesRequest,
  options: { readonly catalog: Catalog; readonly salt: string; readonly maxBodyBytes: number },
): Promise<ReadResult> {
  const { headers, tenant } = request;
  const decoded = await decodeBody(request.body, headers['content-encoding'], options.maxBodyBytes);
  if (decoded.type === 'refused') return decoded;
  const text = latin1Of(decoded.body);
  const read = outlineMessages(text);
  if (read.type === 'refused') return { type: 'refused', reason: read.reason };
  const { outline } = read;
  const tools = outline.tools?.items ?? [];
  // Q5: titles, probes and side calls are neither sessions nor uses.
  if (tools.every((tool) => kindOf(tool) === 'server')) return { type: 'refused', reason: 'no-client-tools' };
  if (hasDuplicateNames(tools)) return { type: 'refused', reason: 'duplicate-tool-names' };
  const client = recogniseClient(headers);
  const modelId = detach(outline.model ?? '');
  return {
    type: 'conversation',
    conversation: {
      tenant,
      ...identify({ client, headers, outline, text }),
      project: projectOf({ client, headers, outline, text }, options.salt),
      client,
      modelId,
      model: options.catalog.find(modelId),
      transcript: transcriptOf(outline),
      text,
      outline,
    },
  };
}

/** Whether thinking blocks stand in the transcript that the model binds to the prefix; an unknown model might. */
export function hasBoundThinking({ transcript, model }: Conversation): boolean {
  return transcript.hasSignedThinking && (model?.capabilities.boundThinking ?? true);
}

/** Whether the transcript holds a server-side search that the client can't have asked for: ours (O4). */
export function hasSearchOfOurs({ transcript, outline }: Conversation): boolean {
  const ownSearch = (outline.tools?.items ?? []).some(({ type }) => isSearchTool(type));
  return transcript.foundBySearch.size > 0 && !ownSearch;
}
