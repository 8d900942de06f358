import * as fc from 'fast-check';
import {
  array,
  createDice,
  hostileText,
  object,
  raw,
  string,
  unreadJson,
  unreadScalar,
} from './hostile-json.ts';
import type { Json } from './hostile-json.ts';

type MemberOf = readonly [key: string, value: Json];

/** Members in any order among others that no outline reads, some of them twice. */
function objectWith(...members: fc.Arbitrary<readonly MemberOf[]>[]): fc.Arbitrary<Json> {
  return inAnyOrder(unreadJson, members);
}

/** The same for a block and what is in it, all of which is searched for references and marks. */
function blockWith(...members: fc.Arbitrary<readonly MemberOf[]>[]): fc.Arbitrary<Json> {
  return inAnyOrder(unreadScalar, members);
}

function inAnyOrder(
  unread: fc.Arbitrary<Json>,
  members: readonly fc.Arbitrary<readonly MemberOf[]>[],
): fc.Arbitrary<Json> {
  const keys = fc.constantFrom('x', 'x', 'y', 'Tools', ' type', 'typ\u0435', '__proto__');
  return fc
    .tuple(fc.tuple(...members), fc.array(fc.tuple(keys, unread), { maxLength: 2 }), fc.nat())
    .map(([known, others, seed]) => object(shuffle([...known.flat(), ...others], createDice(seed))));
}

function shuffle<Item>(items: readonly Item[], roll: (sides: number) => number): readonly Item[] {
  const shuffled: Item[] = [];
  for (const item of items) shuffled.splice(roll(shuffled.length + 1), 0, item);
  return shuffled;
}

const always = (key: string, value: fc.Arbitrary<Json>): fc.Arbitrary<readonly MemberOf[]> =>
  value.map((json) => [[key, json]]);

const maybe = (key: string, value: fc.Arbitrary<Json>): fc.Arbitrary<readonly MemberOf[]> =>
  fc.oneof(fc.constant([]), always(key, value));

const constant = (...texts: readonly string[]): fc.Arbitrary<Json> => fc.constantFrom(...texts).map(string);
const orNull = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ arbitrary: value, weight: 4 }, { arbitrary: fc.constant(raw('null')), weight: 1 });
const list = (value: fc.Arbitrary<Json>, maxLength = 3): fc.Arbitrary<Json> =>
  fc.array(value, { maxLength }).map(array);

const name = fc.oneof(constant('Bash', 'mcp__a__b', 'Écrire', '工具🚀'), hostileText.map(string));
const mark = orNull(
  objectWith(always('type', constant('ephemeral')), maybe('ttl', orNull(constant('5m', '1h')))),
);
const marked = maybe('cache_control', mark);

const toolMembers = [
  maybe('name', orNull(name)),
  maybe('type', orNull(constant('custom', 'tool_search_tool_bm25_20251119'))),
  maybe('defer_loading', fc.constantFrom('true', 'false', 'null', '"true"', '1').map(raw)),
  always('input_schema', unreadJson),
  marked,
];
const tool = objectWith(...toolMembers);
const definition = blockWith(...toolMembers);

const text = blockWith(always('type', constant('text')), always('text', hostileText.map(string)), marked);
const reference = blockWith(always('type', constant('tool_reference')), always('tool_name', name), marked);
const document = blockWith(
  always('type', constant('document')),
  always('source', blockWith(always('type', constant('content')), always('content', list(text)))),
  marked,
);
const image = blockWith(
  always('type', constant('image')),
  always('source', blockWith(always('type', constant('base64')), always('data', constant('iVBOR=')))),
  marked,
);
const result = blockWith(
  always('type', constant('tool_result')),
  always('tool_use_id', constant('toolu_1')),
  maybe('content', fc.oneof(hostileText.map(string), list(fc.oneof(text, reference, document, image)))),
  marked,
);
const searchResult = blockWith(
  always('type', constant('tool_search_tool_result')),
  always('tool_use_id', constant('srvtoolu_1')),
  always(
    'content',
    blockWith(
      always('type', constant('tool_search_tool_search_result')),
      always('tool_references', list(reference)),
    ),
  ),
);
const call = blockWith(
  always('type', constant('tool_use', 'server_tool_use')),
  always('id', orNull(constant('toolu_1', 'srvtoolu_2'))),
  always('name', name),
  always('input', unreadJson),
  marked,
);
const thinking = blockWith(
  always('type', constant('thinking', 'redacted_thinking')),
  maybe('signature', fc.oneof(constant('', 'abc=='), fc.constant(raw('null')))),
);
const change = blockWith(
  always('type', constant('tool_addition', 'tool_removal')),
  always(
    'tool',
    fc.oneof(
      blockWith(always('type', constant('tool_reference')), always('name', name)),
      blockWith(always('type', constant('tool_definition')), always('definition', definition)),
    ),
  ),
  marked,
);

const content = fc.oneof(
  hostileText.map(string),
  list(fc.oneof(text, document, image, result, searchResult, call, thinking, change)),
);
const message = objectWith(
  always('role', constant('user', 'assistant', 'system')),
  always('content', content),
  maybe('clear_at', orNull(constant('never', 'next_user_message'))),
);

/** The body of a Messages request that a client may send, in any order and with all that no outline reads. */
export const hostileBody: fc.Arbitrary<Json> = bodyWith(maybe('tools', orNull(list(tool, 5))));

/** The same with a list of tools. */
export const hostileBodyWithTools: fc.Arbitrary<Json> = bodyWith(always('tools', list(tool, 5)));

function bodyWith(tools: fc.Arbitrary<readonly MemberOf[]>): fc.Arbitrary<Json> {
  return objectWith(
    maybe('model', orNull(name)),
    maybe('stream', fc.constantFrom('true', 'false', 'null').map(raw)),
    maybe('metadata', orNull(objectWith(maybe('user_id', orNull(name))))),
    maybe(
      'tool_choice',
      orNull(objectWith(always('type', constant('auto', 'tool')), maybe('name', orNull(name)))),
    ),
    marked,
    maybe('system', orNull(fc.oneof(hostileText.map(string), list(text)))),
    tools,
    always('messages', orNull(list(message, 4))),
  );
}
