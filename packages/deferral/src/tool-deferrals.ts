/** Where in a conversation a late tool enters: after the result of a call, or at the end of a message (D10). */
export type LoadPoint =
  | { readonly type: 'call'; readonly callId: string }
  | { readonly type: 'message'; readonly messageId: string };

/** A tool that came after a session's first model call, and its place for life. */
export interface LateTool {
  readonly name: string;
  readonly at: LoadPoint;
}

/**
 * What a session keeps of its tools so that every request declares them alike. It is a value: nothing here changes one,
 * so whoever holds it sees all of a change or none (D8).
 */
export interface ToolDeferrals {
  /** The tools of the first call, in its order; `undefined` before it, which is not the same as none (D1). */
  readonly baseline: readonly string[] | undefined;
  /**
   * The message that the conversation ended with at that call. What a model thought before it is bound to another
   * beginning of the prompt, as in a copy that starts anew, and is not sent again.
   */
  readonly startedAt: string | undefined;
  /** In the order in which they came. */
  readonly late: readonly LateTool[];
  /** The digest of each tool's declaration as it was first seen (D12). */
  readonly definitions: ReadonlyMap<string, string>;
}

/** A session that no model was called for yet, or whose history was replaced by a summary. */
export const noToolDeferrals: ToolDeferrals = {
  baseline: undefined,
  startedAt: undefined,
  late: [],
  definitions: new Map(),
};

/** A tool that the agent has now. */
export interface PresentTool {
  readonly name: string;
  /** Of its declaration. */
  readonly digest: string;
  /** It stands in a catalogue that only the provider's own search reaches (D4). */
  readonly isSearchOnly?: boolean;
}

/** Where a model call stands in its conversation. */
export interface CallPosition {
  /**
   * The last successful tool call by position in the messages, never by the time that it ended (D9); `isSent`: an
   * earlier request carried its result already.
   */
  readonly lastSuccess: { readonly callId: string; readonly isSent: boolean } | undefined;
  /** The last message of the conversation; `undefined` in a call beside it, where nothing enters. */
  readonly last: string | undefined;
  /**
   * Where the model takes a tool without a change to what was sent before (D10): at the end of any message or after a
   * call (`tail`), after a call only (`call`), or nowhere, so that each new one moves what comes behind it (`list`).
   */
  readonly lateTools: 'tail' | 'call' | 'list';
}

/** One tool as this call declares it. */
export interface MarkedTool {
  readonly name: string;
  /** Of the declaration to send: the frozen one (D12). */
  readonly digest: string;
  readonly place: LoadPoint | { readonly type: 'inline' };
  /** Whether the agent has it now: a call of one that is gone gets an error for a result (D12). */
  readonly isPresent: boolean;
  /** Whether the agent has it with another declaration than the frozen one (D5). */
  readonly isOutdated: boolean;
}

/** A tool that moves the prompt's prefix with this call, since no place would have kept it. */
export interface PrefixBreak {
  readonly name: string;
  /**
   * `no-success`: it is inline, since no call has succeeded yet (D3). `left-inline`: it was, and has its load point now.
   * `sent`: the model takes it only after a call, and the last result went out before (D10). `list`: the model has no
   * place for it but the end of the list.
   */
  readonly cause: 'no-success' | 'left-inline' | 'sent' | 'list';
}

/** What one model call declares, and what the session has to keep of it. */
export interface Marking {
  readonly deferrals: ToolDeferrals;
  /** Whether `deferrals` differs from what was given: only then is it saved (D6, DP2). */
  readonly isChanged: boolean;
  /** The baseline in its order, then the late ones in the order in which they came, those that wait inline at the end. */
  readonly tools: readonly MarkedTool[];
  readonly breaks: readonly PrefixBreak[];
}

/**
 * Marks the tools of one model call (D1–D6, D10, D12). The names in `present` are distinct. Neither argument changes, and
 * marks are on copies. The first call records the baseline; from then on a tool outside of it enters at its load point
 * and stays there, whatever becomes of it; until there is one it stays inline.
 */
export function markTools(
  deferrals: ToolDeferrals,
  present: readonly PresentTool[],
  position: CallPosition,
): Marking {
  const tools = present.filter((tool) => tool.isSearchOnly !== true);
  const baseline = deferrals.baseline ?? tools.map(({ name }) => name);
  const definitions = freeze(deferrals.definitions, tools);
  const placed = new Set([...baseline, ...deferrals.late.map(({ name }) => name)]);
  const unplaced = [...definitions.keys()].filter((name) => !placed.has(name));
  const at = loadPointFor(position);
  const entering = at === undefined ? [] : unplaced.map((name) => ({ name, at }));
  // What waits inline was never told to a model that has a place for it.
  const waiting = at === undefined && position.lateTools !== 'tail' ? unplaced : [];
  const startedAt = deferrals.baseline === undefined ? position.last : deferrals.startedAt;
  const marked = { baseline, startedAt, late: [...deferrals.late, ...entering], definitions };
  const isChanged =
    deferrals.baseline === undefined || entering.length > 0 || definitions.size > deferrals.definitions.size;
  return {
    deferrals: isChanged ? marked : deferrals,
    isChanged,
    tools: declare(marked, tools, waiting),
    breaks: unplaced.flatMap((name) => breakOf(name, deferrals, { at, lateTools: position.lateTools })),
  };
}

/**
 * The place that changes no byte of what any model was sent (D10): after a result that no request had yet, or at the end
 * of the conversation. A model that can't take the tool there gets it as near as it can, and the session keeps the place
 * for the models that can: a change of models and back leaves their prompts as they were.
 */
function loadPointFor({ lastSuccess, last, lateTools }: CallPosition): LoadPoint | undefined {
  if (lastSuccess?.isSent === false) return { type: 'call', callId: lastSuccess.callId };
  const hasPlace = lateTools === 'tail' || lastSuccess !== undefined;
  return hasPlace && last !== undefined ? { type: 'message', messageId: last } : undefined;
}

/** What is frozen already stays as it is; the rest comes behind it. */
function freeze(
  frozen: ReadonlyMap<string, string>,
  tools: readonly PresentTool[],
): ReadonlyMap<string, string> {
  const fresh = tools.filter(({ name }) => !frozen.has(name));
  return new Map([...frozen, ...fresh.map(({ name, digest }) => [name, digest] as const)]);
}

function breakOf(
  name: string,
  former: ToolDeferrals,
  { at, lateTools }: Pick<CallPosition, 'lateTools'> & { readonly at: LoadPoint | undefined },
): readonly PrefixBreak[] {
  if (lateTools === 'tail') return [];
  const wasInline = former.definitions.has(name);
  if (at === undefined) return wasInline ? [] : [{ name, cause: 'no-success' }];
  if (lateTools === 'list') return wasInline ? [] : [{ name, cause: 'list' }];
  if (wasInline) return [{ name, cause: 'left-inline' }];
  return at.type === 'message' ? [{ name, cause: 'sent' }] : [];
}

function declare(
  { baseline, late, definitions }: ToolDeferrals & { readonly baseline: readonly string[] },
  tools: readonly PresentTool[],
  waiting: readonly string[],
): readonly MarkedTool[] {
  const current = new Map(tools.map(({ name, digest }) => [name, digest]));
  const mark = (name: string, place: MarkedTool['place']): readonly MarkedTool[] => {
    const digest = definitions.get(name);
    if (digest === undefined) return [];
    const now = current.get(name);
    return [
      { name, digest, place, isPresent: now !== undefined, isOutdated: now !== undefined && now !== digest },
    ];
  };
  return [
    ...baseline.flatMap((name) => mark(name, { type: 'inline' })),
    ...late.flatMap(({ name, at }) => mark(name, at)),
    ...waiting.flatMap((name) => mark(name, { type: 'inline' })),
  ];
}

/** What of a conversation a copy of it has. */
export interface CopiedHistory {
  /** The calls that are in it with their results. */
  readonly callIds: ReadonlySet<string>;
  readonly messageIds: ReadonlySet<string>;
}

/**
 * What a branch or a fork begins with: all of it where the message that it started at and every place that a tool enters
 * at were copied, nothing otherwise.
 * Part of it would declare other tools than the copied messages were answered under.
 */
export function copyToolDeferrals(deferrals: ToolDeferrals, history: CopiedHistory): ToolDeferrals {
  const isWhole = deferrals.late.every(({ at }) =>
    at.type === 'call' ? history.callIds.has(at.callId) : history.messageIds.has(at.messageId),
  );
  const { startedAt } = deferrals;
  return isWhole && startedAt !== undefined && history.messageIds.has(startedAt)
    ? deferrals
    : noToolDeferrals;
}
