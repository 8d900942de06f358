import type { Task, ToolInput } from './task.ts';
import { localTools } from './tools.ts';

/** A step of a task's way; a function gets what the steps before it answered. */
type Step = readonly [tool: string, input: (answers: readonly string[]) => ToolInput];

interface Kind {
  readonly ask: (pick: Pick) => { readonly prompt: string; readonly steps: readonly Step[] };
}

/** Picks from a list, or a whole number in a range; the same for the same seed. */
interface Pick {
  of<Item>(list: readonly [Item, ...Item[]]): Item;
  from(least: number, most: number): number;
}

const names = ['Adaeze', 'Bram', 'Dario', 'Esi'] as const;
const items = ['anchor', 'lantern', 'rope', 'compass'] as const;
const orders = ['K-204', 'K-311', 'K-478'] as const;
const last = (answers: readonly string[]): string => answers.at(-1) ?? '';

/** From one step with a tool that is always there to chains of tools that are not. */
const kinds: readonly Kind[] = [
  {
    ask: (pick) => {
      const [a, b, c] = [pick.from(12, 99), pick.from(12, 99), pick.from(100, 999)];
      return {
        prompt: `What is ${a} times ${b}, plus ${c}?`,
        steps: [
          ['multiply', () => ({ left: a, right: b })],
          ['add', (answers) => ({ left: Number(last(answers)), right: c })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const name = pick.of(names);
      return {
        prompt: `Which extension do I call to reach the manager of ${name}?`,
        steps: [
          ['manager_of', () => ({ person: name })],
          ['phone_of', (answers) => ({ person: last(answers) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const item = pick.of(items);
      return {
        prompt: `What are all pieces of the item "${item}" in the warehouse worth together, in crowns?`,
        steps: [
          ['stock_of', () => ({ item })],
          ['price_of', () => ({ item })],
          ['multiply', ([stock, price]) => ({ left: Number(stock), right: Number(price) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const order = pick.of(orders);
      const days = pick.from(3, 30);
      return {
        prompt: `Order ${order} arrives ${days} days after it leaves. On which weekday is that?`,
        steps: [
          ['ship_date_of', () => ({ order })],
          ['add_days', (answers) => ({ date: last(answers), days })],
          ['weekday_of', (answers) => ({ date: last(answers) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const order = pick.of(orders);
      return {
        prompt: `Who delivers the item that was ordered in ${order}?`,
        steps: [
          ['item_in_order', () => ({ order })],
          ['supplier_of', (answers) => ({ item: last(answers) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const place = pick.from(20, 200);
      return {
        prompt: `Write the prime number at place ${place} (2 is at place 1) in Roman numerals.`,
        steps: [
          ['nth_prime', () => ({ place })],
          ['to_roman', (answers) => ({ value: Number(last(answers)) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const [name, places] = [pick.of(names), pick.from(2, 20)];
      return {
        prompt: `Take the city in which ${name} works, move each of its letters ${places} places along the alphabet, and turn the outcome round.`,
        steps: [
          ['office_of', () => ({ person: name })],
          ['shift_letters', (answers) => ({ text: last(answers), places })],
          ['reverse_text', (answers) => ({ text: last(answers) })],
        ],
      };
    },
  },
  {
    ask: (pick) => {
      const [a, b, c] = [pick.from(100, 900), pick.from(100, 900), pick.from(2, 9)];
      return {
        prompt: `What is ${a} minus ${b}, times ${c}?`,
        steps: [
          ['subtract', () => ({ left: a, right: b })],
          ['multiply', (answers) => ({ left: Number(last(answers)), right: c })],
        ],
      };
    },
  },
];

/** So many tasks, the kinds in turn; the same ones for the same seed. */
export function makeTasks(count: number, seed: number): readonly Task[] {
  const pick = createPick(seed);
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new Error('there are no kinds of tasks');
    const { prompt, steps } = kind.ask(pick);
    return solve(prompt, steps);
  });
}

function solve(prompt: string, steps: readonly Step[]): Task {
  const answers: string[] = [];
  const way = steps.map(([tool, inputOf]) => {
    const input = inputOf(answers);
    const found = localTools.find(({ declaration }) => declaration.name === tool);
    if (found === undefined) throw new Error(`a task names the tool ${tool}, which is not there`);
    answers.push(found.run(input));
    return { tool, input };
  });
  return { prompt, answer: last(answers), way };
}

/** A linear congruential generator: small, and good enough to vary figures. */
function createPick(seed: number): Pick {
  let state = seed >>> 0;
  const next = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  return {
    of: (list) => list[next(list.length)] ?? list[0],
    from: (least, most) => least + next(most - least + 1),
  };
}
