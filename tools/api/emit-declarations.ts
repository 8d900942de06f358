import ts from 'typescript';

/** A program and, by the path of each source, the declarations that a build would write for it. */
export interface EmittedDeclarations {
  readonly program: ts.Program;
  readonly declarations: ReadonlyMap<string, string>;
}

/** Compiles in memory, so that nothing has to be built before. */
export function emitDeclarations(entries: readonly string[]): EmittedDeclarations {
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    customConditions: ['quartermaster-source'],
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  });
  const declarations = new Map<string, string>();
  program.emit(undefined, (...[, text, , , sources]) => {
    for (const source of sources ?? []) declarations.set(source.fileName, text);
  });
  return { program, declarations };
}
