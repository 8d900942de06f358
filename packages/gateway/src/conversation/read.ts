import type { IncomingHttpHeaders } from 'node:http';
import type { Catalog, Model } from '@quartermaster/catalog';
import { isSearchTool } from '@quartermaster/deferral';
import type { MessagesOutline, OutlineRefusal } from '@quartermaster/wire';
import { type Client, recogniseClient } from '../clients/table.ts';
import { type DecodedBody, decodeBody } from '../http/encoding.ts';
import { detach, latin1Of } from '../latin1.ts';
import { hasDuplicateNames, kindOf } from '../rewrite/tools.ts';
import { identify } from './identity.ts';
import type { Outlined, Outliner } from './outliner.ts';
import { type NameProject, projectOf } from './project.ts';
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
  readonly toolDigests?: Outlined['toolDigests'];
}

/** Why a request can't be edited (RW8, RW9). */
export type ReadRefusal =
  | OutlineRefusal
  | Extract<DecodedBody, { type: 'refused' }>['reason']
  | 'duplicate-tool-names';

interface Refused {
  readonly type: 'refused';
  readonly reason: ReadRefusal;
}

/** Where things stand in a request. */
export interface OutlinedRequest extends Pick<Conversation, 'text' | 'outline' | 'toolDigests'> {
  readonly type: 'outlined';
}

/** What a request turned out to be. */
export type ReadResult =
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  /** Without tools of the client's: a title, a probe, a side call; neither a session nor a use (Q5). */
  | ({ readonly type: 'aside' } & Pick<Conversation, 'text' | 'outline'>)
  | Refused;

export interface ReadOptions {
  readonly outliner: Outliner;
  readonly maxBodyBytes: number;
}

/** Reads a request as far as the gateway needs it; the body is never parsed whole. */
export async function readConversation(
  request: MessagesRequest,
  options: ReadOptions & { readonly catalog: Catalog; readonly nameProject: NameProject },
): Promise<ReadResult> {
  const { headers, tenant } = request;
  const read = await readOutline(request, options);
  if (read.type === 'refused') return read;
  const { text, outline, toolDigests } = read;
  const tools = outline.tools?.items ?? [];
  if (tools.every((tool) => kindOf(tool) === 'server')) return { type: 'aside', text, outline };
  if (hasDuplicateNames(tools)) return { type: 'refused', reason: 'duplicate-tool-names' };
  const client = recogniseClient(headers);
  const modelId = detach(outline.model ?? '');
  return {
    type: 'conversation',
    conversation: {
      tenant,
      ...identify({ client, headers, outline, text }),
      project: projectOf({ client, headers, outline, text }, options.nameProject),
      client,
      modelId,
      model: options.catalog.find(modelId),
      transcript: transcriptOf(outline),
      text,
      outline,
      toolDigests,
    },
  };
}

/** Decodes a copy of a request's body, and finds where things stand in it. */
export async function readOutline(
  { tenant, body, headers }: Pick<MessagesRequest, 'tenant' | 'body' | 'headers'>,
  { outliner, maxBodyBytes }: ReadOptions,
): Promise<OutlinedRequest | Refused> {
  const decoded = await decodeBody(body, headers['content-encoding'], maxBodyBytes);
  if (decoded.type === 'refused') return decoded;
  const text = latin1Of(decoded.body);
  const { read, toolDigests } = outliner(tenant, text);
  if (read.type === 'refused') return { type: 'refused', reason: read.reason };
  return { type: 'outlined', text, outline: read.outline, toolDigests };
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
