import {
  appendItem,
  applyEdits,
  asciiJson,
  type MessagesOutline,
  outlineMessages,
  setMember,
} from '@quartermaster/wire';
import { type BenchResult, median, round, table } from './figures.ts';
import { sessionRequests, usedTools } from './request-body.ts';

const sizes = [
  { name: '100 KB', bytes: 100 * 1024, runs: 200 },
  { name: '20 MB', bytes: 20 * 1024 * 1024, runs: 9 },
];

/** What finding and splicing costs, from bytes to bytes, against parsing and printing; medians in ms. */
export function benchWire(): BenchResult {
  const figures = sizes.map(({ name, bytes, runs }) => {
    const body = bodyOf(bytes);
    const ways = { spliced, parsed, parsedAndPrinted };
    const times = Object.entries(ways).map(([way, run]) => [
      `${way}Ms`,
      round(medianMs(() => run(body), runs)),
    ]);
    return {
      name,
      bytes: body.length,
      ...(Object.fromEntries(times) as Record<`${keyof typeof ways}Ms`, number>),
    };
  });
  const rows = figures.map((row) => [row.name, row.splicedMs, row.parsedMs, row.parsedAndPrintedMs]);
  return {
    figures: { bodies: figures },
    lines: table([['', 'outline + edits ms', 'JSON.parse ms', 'parse + stringify ms'], ...rows]),
  };
}

function bodyOf(turnBytes: number): Buffer {
  const { turns } = sessionRequests({ session: 'wire', turns: 1, turnBytes, isStreaming: false });
  return turns[0] ?? Buffer.alloc(0);
}

/** The gateway's way: a latin1 view, an outline, a flag on each seldom used tool and one block more. */
function spliced(body: Buffer): Buffer {
  const text = body.toString('latin1');
  const read = outlineMessages(text);
  if (read.type === 'refused')
    throw new Error(`the bench's own body was refused: ${read.reason} at ${read.at}.`);
  return Buffer.from(applyEdits(text, editsOf(text, read.outline)), 'latin1');
}

function editsOf(text: string, { tools, system }: MessagesOutline) {
  const seldomUsed = (tools?.items ?? []).filter(
    ({ name }) => name !== undefined && !usedTools.includes(name),
  );
  const flags = seldomUsed.map(({ span }) => setMember(span, text, 'defer_loading', 'true'));
  const block = asciiJson({ type: 'text', text: 'A list of names stands here.' });
  return system === undefined ? flags : [...flags, appendItem(system.span, text, block)];
}

function parsed(body: Buffer): object {
  return JSON.parse(body.toString('utf8')) as object;
}

function parsedAndPrinted(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(parsed(body)), 'utf8');
}

function medianMs(work: () => unknown, runs: number): number {
  for (let run = 0; run < runs / 2; run += 1) work();
  const times = Array.from({ length: runs }, () => {
    const startMs = performance.now();
    work();
    return performance.now() - startMs;
  });
  return median(times);
}
