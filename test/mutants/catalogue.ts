import type { Mutant } from './mutant.ts';

const words = 'packages/deferral/src/tool-words.ts';
const ranking = 'packages/deferral/src/tool-ranking.ts';
const rankingTests = 'packages/deferral/test/tool-ranking.test.ts';
const folder = 'packages/runtime/src/toolsets/catalogue';
const catalogueTests = 'packages/runtime/test/catalogue.test.ts';
const fixedCost = 'packages/runtime/src/turn/fixed-cost.ts';
const fixedCostTests = 'packages/runtime/test/fixed-cost.test.ts';

/** Of tools that wait in a catalogue: how they are found, and how they are added. */
export const catalogueMutants: readonly Mutant[] = [
  {
    name: 'forms of a word are other words',
    file: words,
    find: '.filter(saysAnything).map(stem)',
    replace: '.filter(saysAnything)',
    killedBy: { file: rankingTests, test: 'archiving finds vault_store first' },
  },
  {
    name: 'empty words rank tools',
    file: words,
    find: '.filter(saysAnything).map(stem)',
    replace: '.map(stem)',
    killedBy: { file: rankingTests, test: 'for the whole text of a task' },
  },
  {
    name: 'a name with capitals is one word',
    file: words,
    find: '[...parts.map((part) => part.toLowerCase()), whole]',
    replace: '[whole]',
    killedBy: { file: rankingTests, test: 'a word with capitals inside' },
  },
  {
    name: 'an exact name is like any other words',
    file: ranking,
    find: 'scores.set(index, Infinity);',
    replace: '{ }',
    killedBy: { file: rankingTests, test: 'a name that the query is' },
  },
  {
    name: 'equally good tools come in any order',
    file: ranking,
    find: 'leftScore === rightScore ? left - right',
    replace: 'leftScore === rightScore ? right - left',
    killedBy: { file: rankingTests, test: 'equally good ones' },
  },
  {
    name: 'common words count like rare ones',
    file: ranking,
    find: '(rarity * frequency)',
    replace: 'frequency',
    killedBy: { file: rankingTests, test: 'a rare word counts more' },
  },
  {
    name: 'a search is silent about what is loaded',
    file: `${folder}/answers.ts`,
    find: 'found.filter((tool) => !waits(tool)).slice(0, maxFoundLoaded)',
    replace: 'found.slice(0, 0)',
    killedBy: { file: catalogueTests, test: 'case 23: what is loaded already is told too' },
  },
  {
    name: 'a name that no tool has is added',
    file: `${folder}/answers.ts`,
    find: 'if (tool === undefined) throw',
    replace: "if (tool === undefined) return 'no such tool'; if (tool.name === '') throw",
    killedBy: { file: catalogueTests, test: 'is what its calls say that succeeded' },
  },
  {
    name: 'a call that failed adds a tool',
    file: `${folder}/added-tools.ts`,
    find: "outcome === 'completed'",
    replace: "outcome !== 'denied'",
    killedBy: { file: catalogueTests, test: 'is what its calls say that succeeded' },
  },
  {
    name: 'a name with marks around it is another name',
    file: `${folder}/add-tool-input.ts`,
    find: '.exec(name)?.[2] ?? name',
    replace: '.exec(name)?.[0] ?? name',
    killedBy: { file: catalogueTests, test: 'case 35' },
  },
  {
    name: 'the registered tools are those of the first catalogue',
    file: `${folder}/catalogue-tools.ts`,
    find: 'catalogueTools(() => [], index).forEach(issue);',
    replace: '',
    killedBy: { file: catalogueTests, test: 'T3: each has tools of its own' },
  },
  {
    name: 'a catalogue is indexed once for all',
    file: `${folder}/catalogue-index.ts`,
    find: 'if (!areAlike(newest.tools, tools))',
    replace: 'if (newest.tools.length === 0)',
    killedBy: { file: catalogueTests, test: 'a list is asked at each call' },
  },
  {
    name: 'a tool that was added still waits',
    file: `${folder}/catalogue-index.ts`,
    find: 'return other === undefined || isSearchOnly !== true;',
    replace: 'return other === undefined || isSearchOnly === true;',
    killedBy: { file: catalogueTests, test: 'case 23: what was added is loaded' },
  },
  {
    name: 'tools wait though nothing can load them',
    file: `${folder}/with-catalogue.ts`,
    find: 'if (!own.has(searchToolsName) || !own.has(addToolName)) return',
    replace: 'if (own.has(searchToolsName) === undefined) return',
    killedBy: { file: catalogueTests, test: 'case 21' },
  },
  {
    name: 'a catalogue changes when a tool of it is added',
    file: `${folder}/with-catalogue.ts`,
    find: '...catalogue.map((tool) =>',
    replace: '...catalogue.filter(({ name }) => !added.has(name)).map((tool) =>',
    killedBy: { file: catalogueTests, test: 'all of it is search-only' },
  },
  {
    name: 'a model that searches by itself is told of a second way',
    file: 'packages/providers/src/place-tools.ts',
    find: 'searchesTools && tool.standsInForSearch === true',
    replace: 'searchesTools && tool.standsInForSearch === undefined',
    killedBy: {
      file: 'packages/providers/test/late-tools.test.ts',
      test: 'a model that searches by itself is not told',
    },
  },
  {
    name: 'what waits counts as part of the prompt',
    file: fixedCost,
    find: 'if (isSearchOnly === true) continue;',
    replace: 'void isSearchOnly;',
    killedBy: { file: fixedCostTests, test: 'case 39: a catalogue takes nothing' },
  },
  {
    name: 'tools that no window holds are sent',
    file: fixedCost,
    find: 'if (tokens < most) return;',
    replace: 'if (tokens < Infinity) return;',
    killedBy: { file: fixedCostTests, test: 'case 39: is refused' },
  },
];
