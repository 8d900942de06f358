import { dayMs, dayOf, divisor, primeAt, roman, shifted } from './sums.ts';
import type { LocalTool, ToolInput } from './task.ts';

/** One tool in short: its arguments with a word on each, and what it does with them. */
interface Sketch {
  readonly name: string;
  readonly does: string;
  readonly takes: Readonly<Record<string, string>>;
  readonly run: (input: ToolInput) => string | number | undefined;
}

const people = {
  Adaeze: { manager: 'Bram', office: 'Lima', phone: '4417', team: 'billing' },
  Bram: { manager: 'Chiyo', office: 'Oslo', phone: '2290', team: 'platform' },
  Chiyo: { manager: 'Chiyo', office: 'Perth', phone: '8125', team: 'board' },
  Dario: { manager: 'Bram', office: 'Quito', phone: '3361', team: 'search' },
  Esi: { manager: 'Adaeze', office: 'Lima', phone: '7702', team: 'billing' },
} as const;
const items = {
  anchor: { stock: 37, price: 125, supplier: 'Harbour Works', weight: 18 },
  lantern: { stock: 214, price: 19, supplier: 'Bright & Daughters', weight: 2 },
  rope: { stock: 905, price: 7, supplier: 'Harbour Works', weight: 4 },
  compass: { stock: 58, price: 64, supplier: 'North Supply', weight: 1 },
} as const;
const orders = {
  'K-204': { item: 'rope', count: 12, status: 'packed', ships: '2026-03-14' },
  'K-311': { item: 'compass', count: 3, status: 'shipped', ships: '2026-02-02' },
  'K-478': { item: 'lantern', count: 40, status: 'waiting', ships: '2026-05-29' },
} as const;
/** Arguments that are numbers. */
const numeric = new Set(['left', 'right', 'place', 'value', 'base', 'days', 'places']);

const text = (input: ToolInput, name: string): string => String(input[name]);
const number = (input: ToolInput, name: string): number => Number(input[name]);
const personOf = (input: ToolInput) => people[text(input, 'person') as keyof typeof people] ?? undefined;
const itemOf = (input: ToolInput) => items[text(input, 'item') as keyof typeof items] ?? undefined;
const orderOf = (input: ToolInput) => orders[text(input, 'order') as keyof typeof orders] ?? undefined;
const person = { person: 'The first name of somebody who works here, with a capital letter.' };
const item = { item: 'The name of an item in the warehouse, in small letters and in the singular.' };
const order = { order: 'The number of an order: a letter, a hyphen and three digits.' };
const pair = { left: 'The first of the two numbers.', right: 'The second of the two numbers.' };
const words = { text: 'The text to work on, exactly as it is, without quotes around it.' };
const date = { date: 'A day as YYYY-MM-DD.' };

const sketches: readonly Sketch[] = [
  {
    name: 'add',
    does: 'adds two numbers',
    takes: pair,
    run: (input) => number(input, 'left') + number(input, 'right'),
  },
  {
    name: 'subtract',
    does: 'takes the second number from the first',
    takes: pair,
    run: (input) => number(input, 'left') - number(input, 'right'),
  },
  {
    name: 'multiply',
    does: 'multiplies two numbers',
    takes: pair,
    run: (input) => number(input, 'left') * number(input, 'right'),
  },
  {
    name: 'remainder',
    does: 'divides the first whole number by the second and answers what is left',
    takes: pair,
    run: (input) => number(input, 'left') % number(input, 'right'),
  },
  {
    name: 'greatest_common_divisor',
    does: 'finds the largest whole number that divides both',
    takes: pair,
    run: (input) => divisor(number(input, 'left'), number(input, 'right')),
  },
  {
    name: 'nth_prime',
    does: 'finds the prime number at a place, counted from 1',
    takes: { place: 'The place, a whole number from 1 to 1000.' },
    run: (input) => primeAt(number(input, 'place')),
  },
  {
    name: 'to_roman',
    does: 'spells a whole number in Roman numerals',
    takes: { value: 'A whole number from 1 to 3999.' },
    run: (input) => roman(number(input, 'value')),
  },
  {
    name: 'in_base',
    does: 'writes a whole number in another base',
    takes: { value: 'The whole number.', base: 'The base, from 2 to 36.' },
    run: (input) => number(input, 'value').toString(number(input, 'base')),
  },
  {
    name: 'manager_of',
    does: 'tells who somebody reports to',
    takes: person,
    run: (input) => personOf(input)?.manager,
  },
  {
    name: 'office_of',
    does: 'tells in which city somebody works',
    takes: person,
    run: (input) => personOf(input)?.office,
  },
  {
    name: 'phone_of',
    does: 'tells the extension at which somebody can be called',
    takes: person,
    run: (input) => personOf(input)?.phone,
  },
  {
    name: 'team_of',
    does: 'tells which team somebody belongs to',
    takes: person,
    run: (input) => personOf(input)?.team,
  },
  {
    name: 'stock_of',
    does: 'counts how many pieces of an item lie in the warehouse',
    takes: item,
    run: (input) => itemOf(input)?.stock,
  },
  {
    name: 'price_of',
    does: 'tells what one piece of an item costs, in crowns',
    takes: item,
    run: (input) => itemOf(input)?.price,
  },
  {
    name: 'weight_of',
    does: 'tells what one piece of an item weighs, in kilograms',
    takes: item,
    run: (input) => itemOf(input)?.weight,
  },
  {
    name: 'supplier_of',
    does: 'tells who delivers an item',
    takes: item,
    run: (input) => itemOf(input)?.supplier,
  },
  {
    name: 'item_in_order',
    does: 'tells which item was ordered',
    takes: order,
    run: (input) => orderOf(input)?.item,
  },
  {
    name: 'count_in_order',
    does: 'tells how many pieces were ordered',
    takes: order,
    run: (input) => orderOf(input)?.count,
  },
  {
    name: 'status_of_order',
    does: 'tells how far an order has come',
    takes: order,
    run: (input) => orderOf(input)?.status,
  },
  {
    name: 'ship_date_of',
    does: 'tells the day on which an order leaves, as YYYY-MM-DD',
    takes: order,
    run: (input) => orderOf(input)?.ships,
  },
  {
    name: 'add_days',
    does: 'finds the day that comes so many days later',
    takes: { ...date, days: 'How many days; may be negative.' },
    run: (input) => dayOf(Date.parse(text(input, 'date')) + number(input, 'days') * dayMs),
  },
  {
    name: 'days_between',
    does: 'counts the days from one day to another',
    takes: { from: 'The earlier day as YYYY-MM-DD.', to: 'The later day as YYYY-MM-DD.' },
    run: (input) => (Date.parse(text(input, 'to')) - Date.parse(text(input, 'from'))) / dayMs,
  },
  {
    name: 'weekday_of',
    does: 'tells the English name of the weekday of a day',
    takes: date,
    run: (input) =>
      new Date(text(input, 'date')).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }),
  },
  {
    name: 'reverse_text',
    does: 'turns a text round, letter by letter',
    takes: words,
    run: (input) => [...text(input, 'text')].toReversed().join(''),
  },
  {
    name: 'shift_letters',
    does: 'moves each letter of a text along the alphabet and round its end',
    takes: { ...words, places: 'How far, a whole number from 1 to 25.' },
    run: (input) => shifted(text(input, 'text'), number(input, 'places')),
  },
];

/** Twenty-five tools, each heavy enough to be worth deferring (RU5). */
export const localTools: readonly LocalTool[] = sketches.map(({ name, does, takes, run }) => ({
  declaration: {
    name,
    description: descriptionOf(name, does, Object.keys(takes)),
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(takes).map(([key, description]) => [key, { type: typeOf(key), description }]),
      ),
      required: Object.keys(takes),
      additionalProperties: false,
    },
  },
  run: (input) => String(run(input) ?? `nothing is known about ${JSON.stringify(input)}`),
}));

/** What the three earlier sessions of the made-up account used: everything else may be deferred. */
export const usedBefore: readonly string[] = ['add', 'subtract', 'multiply'];

function typeOf(key: string): string {
  return numeric.has(key) ? 'number' : 'string';
}

/** Spelled out the way that real servers do, so that leaving it out matters. */
function descriptionOf(name: string, does: string, keys: readonly string[]): string {
  return [
    `The tool ${name} ${does}.`,
    `Call it whenever a step of the work needs exactly that; do not work it out yourself, since the figures that count here are those which this tool gives, and a guess that happens to look right will not be accepted.`,
    `It takes ${keys.join(' and ')}, all of them required, and nothing else. Give each value on its own: no unit, no sentence around it, no list of several values at once. To find out about several things, call the tool once for each.`,
    `The answer is a short plain text that holds the value alone. It can be handed on to another tool as it stands. The same question always gets the same answer, nothing is changed by asking, and asking costs no time that anybody would notice.`,
    `Where nothing is known about what was asked, the answer says so and repeats the question. Check the spelling then, and ask again; if it still finds nothing, say so in the end instead of making something up.`,
  ].join(' ');
}
