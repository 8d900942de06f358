import { applyEdits } from '@quartermaster/wire';
import type { MessagesOutline } from '@quartermaster/wire';
import { searchToolEntry } from '@quartermaster/deferral';
import type { Conversation } from '../conversation/read.ts';
import type { Counters } from '../counters.ts';
import { placeholderEntry, placeholderName } from '../rewrite/placeholder.ts';
import { searchAnchor, type Transcribed, transcribe } from './anchors.ts';
import { definingEdits, searchesOf, undefinedTools } from './define.ts';
import { type RestoredPlace, restoreSearches } from './restore.ts';
import type { SearchTurns } from './search-turns.ts';
import { answeringEdits } from './unanswered.ts';
import type { SearchTurn } from './turn.ts';

/** What a request of a thread with deferred tools is given back, from the record of its searches (Q2, Q3). */
export interface Additions {
  readonly places: readonly RestoredPlace[];
  /** Entries of `tools` (latin1 JSON) that the transcript names and the request lacks. */
  readonly definitions: readonly string[];
}

/** Of a request whose thread has searched for nothing. */
export const noAdditions: Additions = { places: [], definitions: [] };

/** Additions, with what else the record told. */
export interface FoundAdditions extends Additions {
  /** Tools that searches loaded which the client does not see. */
  readonly loaded: readonly string[];
  /** Anchors the answer to the request where no call does. */
  readonly chain: string;
}

/** Tells what requests need of the searches before them. */
export interface SearchMemory {
  /** `undefined`: the store can't tell now. */
  additionsFor(conversation: Conversation): Promise<FoundAdditions | undefined>;
  /** The tools that searches of the transcript loaded, where its client does not see them (O4). */
  loadedBefore(conversation: Conversation): Promise<readonly string[]>;
  /** A request of any kind with what its transcript's searches need and it lacks (Q3, law 6); `undefined`: that is nothing. */
  resolve(tenant: string, request: Pick<Conversation, 'text' | 'outline'>): Promise<Buffer | undefined>;
}

type Turns = ReadonlyMap<string, SearchTurn>;
const noTurns: Turns = new Map();
/** Of a client that is shown searches, and sends them back. */
const unseen: Transcribed = { runs: [], nextChain: '' };

/** Keeps nothing itself. */
export function createSearchMemory({
  searchTurns,
  counters,
}: {
  readonly searchTurns: SearchTurns;
  readonly counters: Counters;
}): SearchMemory {
  /** Of the answers in a transcript whose client does not see searches. */
  async function turnsOf({ tenant }: Conversation, { runs }: Transcribed): Promise<Turns | undefined> {
    return runs.length === 0
      ? noTurns
      : searchTurns.find(
          tenant,
          runs.flatMap(({ anchors }) => anchors),
        );
  }

  async function definitionsFor(
    tenant: string,
    outline: MessagesOutline,
    { names, turns }: { readonly names: readonly string[]; readonly turns: Turns },
  ): Promise<readonly string[] | undefined> {
    if (names.length === 0) return [];
    const shown = await searchTurns.find(tenant, searchesOf(outline, names).map(searchAnchor));
    if (shown === undefined) return undefined;
    const found = [...turns.values(), ...shown.values()];
    const known = new Map([
      [placeholderName, placeholderEntry],
      ...found.flatMap((turn) => Object.entries(turn.definitions)),
    ]);
    return names.flatMap((name) => known.get(name) ?? []);
  }

  return {
    async additionsFor(conversation) {
      const { tenant, session, agent, client, text, outline } = conversation;
      searchTurns.use({ tenant, session, agent });
      const transcribed = client.echoesSearch ? unseen : transcribe(text, outline);
      const turns = await turnsOf(conversation, transcribed);
      if (turns === undefined) return undefined;
      const { runs, nextChain: chain } = transcribed;
      const { places, unplaced } = restoreSearches(text, outline, { runs, turns });
      counters.unplacedSearches += unplaced;
      const loaded = loadedIn(places);
      const names = undefinedTools(outline, loaded);
      const definitions = await definitionsFor(tenant, outline, { names, turns });
      return definitions && { places, definitions, loaded, chain };
    },
    async loadedBefore(conversation) {
      const { client, transcript, text, outline } = conversation;
      if (client.echoesSearch || !transcript.hasAssistantTurns) return [];
      const turns = await turnsOf(conversation, transcribe(text, outline));
      const gaps = [...(turns ?? noTurns).values()].flatMap((turn) => turn.gaps);
      return gaps.flatMap(({ blocks }) => blocks.flatMap(({ references }) => references));
    },
    async resolve(tenant, { text, outline }) {
      const names = undefinedTools(outline);
      const definitions = (await definitionsFor(tenant, outline, { names, turns: noTurns })) ?? [];
      const edits = [
        ...definingEdits(text, outline, { definitions, searchTool: searchToolEntry }),
        ...answeringEdits(outline),
      ];
      if (edits.length === 0) return undefined;
      counters.resolvedRequests += 1;
      return Buffer.from(applyEdits(text, edits), 'latin1');
    },
  };
}

function loadedIn(places: readonly RestoredPlace[]): readonly string[] {
  return places.flatMap(({ blocks }) => blocks.flatMap(({ references }) => references));
}
