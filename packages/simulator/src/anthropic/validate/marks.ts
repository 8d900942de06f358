import { refuse } from '../../api-error.ts';
import { isObject, objectsIn } from '../../json.ts';
import type { JsonObject } from '../../json.ts';
import { cacheLifeOf } from '../request.ts';
import type { Block, CacheLife, MessagesRequest } from '../request.ts';

const maxMarks = 4;

interface Mark {
  readonly life: CacheLife;
  readonly path: string;
}

/** Rule 4: at most four marks in all, 1 h before 5 m in render order (§1.16.2 rows 4, 5). */
export function checkMarks(request: Pick<MessagesRequest, 'tools' | 'system' | 'messages' | 'body'>): void {
  const blocks = [...request.system, ...request.messages.flatMap((message) => message.blocks)];
  const marks = [
    ...request.tools.flatMap((tool, index) => marksOn(tool.definition, `tools.${index}`)),
    ...blocks.flatMap(marksIn),
  ];
  const automatic = cacheLifeOf(request.body['cache_control']);
  const last = automatic === undefined ? undefined : lastMark(blocks);
  if (automatic !== undefined && last !== undefined && last !== automatic) {
    throw refuse(`cache_control: the last block already has cache_control with ttl='${last}'`);
  }
  if (automatic !== undefined && last === undefined) marks.push({ life: automatic, path: 'cache_control' });
  if (marks.length > maxMarks) {
    throw refuse(
      `A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  checkOrder(marks);
}

function checkOrder(marks: readonly Mark[]): void {
  const firstShort = marks.findIndex((mark) => mark.life === '5m');
  const late = firstShort < 0 ? undefined : marks.slice(firstShort).find((mark) => mark.life === '1h');
  if (late === undefined) return;
  throw refuse(
    `${late.path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
      'Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
  );
}

function marksIn(block: Block): readonly Mark[] {
  const change = isObject(block.json['tool']) ? block.json['tool']['definition'] : undefined;
  return [
    ...(block.type === 'tool_result'
      ? objectsIn(block.json['content']).flatMap((item, index) =>
          marksOn(item, `${block.path}.content.${index}`),
        )
      : []),
    ...(isObject(change) ? marksOn(change, `${block.path}.tool.definition`) : []),
    ...marksOn(block.json, block.path),
  ];
}

function marksOn(json: JsonObject, path: string): readonly Mark[] {
  const life = cacheLifeOf(json['cache_control']);
  return life === undefined ? [] : [{ life, path: `${path}.cache_control` }];
}

function lastMark(blocks: readonly Block[]): CacheLife | undefined {
  const last = blocks.at(-1);
  return last === undefined ? undefined : marksIn(last).at(-1)?.life;
}
