import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { listFiles, readManifests, readText, root } from './tree.ts';

const sources = listFiles().filter((file) => /^packages\/[^/]+\/src\/.+\.ts$/.test(file));

test('every public name says what it is', () => {
  const entries = readManifests().flatMap(({ file, exports }) =>
    Object.values(exports ?? {}).map((targets) =>
      path.join(root, path.dirname(file), targets['quartermaster-source'] ?? ''),
    ),
  );
  expect(entries.length).toBeGreaterThan(0);
  expect(findUndocumented(entries)).toEqual([]);
});

test('no source has a default export', () => {
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.filter(hasDefaultExport)).toEqual([]);
});

/** `file: name` for each exported name without a comment of its own. */
function findUndocumented(entries: readonly string[]): readonly string[] {
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    customConditions: ['quartermaster-source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    const names = module === undefined ? [] : checker.getExportsOfModule(module);
    return names
      .filter((name) => {
        const target = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
        return target.getDocumentationComment(checker).length === 0;
      })
      .map((name) => `${path.relative(root, entry)}: ${name.name}`);
  });
}

function hasDefaultExport(file: string): boolean {
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest);
  return source.statements.some(
    (statement) =>
      ts.isExportAssignment(statement) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true),
  );
}
