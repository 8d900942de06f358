import type { Step } from './steps.ts';

/** One violation and how its tool must report it. */
export interface Plant {
  readonly step: Step['name'];
  /** Relative to the root; no file of the real tree has its name. */
  readonly file: string;
  readonly text: string;
  /** Stands on the same line of the report as the file. */
  readonly says: string;
  /** A second file without which the first breaks nothing. */
  readonly beside?: { readonly file: string; readonly text: string };
}

/** Each file breaks one rule, so that a rule that went blind can't hide behind another. */
export const plants: readonly Plant[] = [
  ...formatPlants(),
  ...lintPlants(),
  ...layerPlants(),
  ...typePlants(),
  ...deadCodePlants(),
];

function formatPlants(): readonly Plant[] {
  return [
    {
      step: 'format',
      file: 'packages/store/src/planted-format.ts',
      text: 'export const planted   = "1"\n',
      says: '',
    },
  ];
}

function lintPlants(): readonly Plant[] {
  const plant = (name: string, says: string, text: string): Plant => ({
    step: 'lint',
    file: `packages/gateway/src/planted-${name}.ts`,
    text: `${text}\n`,
    says: `(${says})`,
  });
  return [
    plant('any', 'no-explicit-any', 'export const planted: any = 1;'),
    plant('non-null', 'no-non-null-assertion', 'export const planted = [1].at(0)!;'),
    plant('default', 'no-default-export', 'export default 1;'),
    plant('export-all', 'no-export-all', "export * from './planted-any.ts';"),
    plant('console', 'no-console', "console.log('planted');"),
    plant('process', 'no-restricted-globals', 'export const planted = process.pid;'),
    plant('process-import', 'no-restricted-imports', "export { pid } from 'node:process';"),
    plant('process-property', 'no-restricted-properties', 'export const planted = globalThis.process.pid;'),
    plant('floating', 'no-floating-promises', 'export function planted(): void {\n  Promise.resolve();\n}'),
    plant(
      'switch',
      'switch-exhaustiveness-check',
      "export function planted(name: 'a' | 'b'): void {\n  switch (name) {\n    case 'a':\n  }\n}",
    ),
    forgedTool('cast', "import type { Tool } from './tools/tool.ts';\nexport const planted = {} as Tool;"),
    forgedTool('import', "export { createToolFactory as planted } from './tools/tool-factory.ts';"),
  ];
}

/** T3: a tool that no registry has bound. */
function forgedTool(name: string, text: string): Plant {
  return {
    step: 'lint',
    file: `packages/agent/src/planted-tool-${name}.ts`,
    text: `${text}\n`,
    says: '(one-factory)',
  };
}

function layerPlants(): readonly Plant[] {
  const plant = (file: string, says: string, text: string): Plant => ({
    step: 'layers',
    file: `packages/${file}`,
    text: `${text}\n`,
    says: ` ${says}: `,
  });
  return [
    plant(
      'deferral/src/planted-layer.ts',
      'layer-deferral',
      "export type { Span } from '@quartermaster/wire';",
    ),
    plant('planted/src/index.ts', 'layer-missing', "export type { Span } from '@quartermaster/wire';"),
    plant('gateway/src/planted-door.ts', 'front-door', "export type { Span } from '../../wire/src/span.ts';"),
    {
      ...plant('gateway/src/planted-a.ts', 'cycle', "export type { Planted } from './planted-b.ts';"),
      beside: {
        file: 'packages/gateway/src/planted-b.ts',
        text: "import type { Planted as Other } from './planted-a.ts';\nexport type Planted = Other[];\n",
      },
    },
    plant('gateway/src/planted-sql.ts', 'sql-outside-store', "export { DatabaseSync } from 'node:sqlite';"),
    {
      ...plant('gateway/src/planted-reach.ts', 'source-to-test', "export * from '../test/planted.ts';"),
      beside: { file: 'packages/gateway/test/planted.ts', text: 'export const planted = 1;\n' },
    },
    plant('gateway/src/planted-development.ts', 'source-to-dev-dependency', "export * from 'fast-check';"),
    plant('gateway/src/planted-undeclared.ts', 'undeclared-dependency', "export * from 'semver';"),
    plant(
      'gateway/src/planted-missing.ts',
      'unresolvable',
      "export * from '@quartermaster/wire/src/span.ts';",
    ),
  ];
}

function typePlants(): readonly Plant[] {
  const plant = (file: string, says: string, text: string): Plant => ({
    step: 'types',
    file: `packages/${file}`,
    text: `${text}\n`,
    says: ` ${says}: `,
  });
  return [
    plant('wire/src/planted-node.ts', 'TS2591', "export { readFileSync } from 'node:fs';"),
    plant('wire/src/planted-console.ts', 'TS2584', "console.log('planted');"),
    plant('wire/src/planted-timer.ts', 'TS2304', 'setTimeout(() => {}, 1);'),
    plant('catalog/src/planted-fetch.ts', 'TS2304', "export const planted = fetch('https://localhost');"),
    plant('gateway/src/planted-type.ts', 'TS2322', "export const planted: number = 'text';"),
    plant('wire/test/planted-type.test.ts', 'TS2322', "export const planted: number = 'text';"),
  ];
}

function deadCodePlants(): readonly Plant[] {
  const plant = (file: string, says: string, text: string): Plant => ({
    step: 'dead code',
    file: `packages/${file}`,
    text: `${text}\n`,
    says,
  });
  return [
    plant('store/src/planted-unused.ts', '', 'export const planted = 1;'),
    {
      ...plant('store/src/planted-export.ts', 'plantedUnused', 'export const used = 1, plantedUnused = 2;'),
      beside: {
        file: 'packages/store/test/planted.test.ts',
        text: "import { used } from '../src/planted-export.ts';\nused.toFixed();\n",
      },
    },
    plant('planted/package.json', 'semver', '{ "name": "planted", "dependencies": { "semver": "1.0.0" } }'),
  ];
}
