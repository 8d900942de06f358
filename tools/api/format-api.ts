import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { emitDeclarations } from './emit-declarations.ts';

/** The packages whose public names stand in docs/api. */
export const reportedPackages: readonly string[] = ['agent', 'runtime'];

/** The public names of a package, entry by entry in the order of its `exports`, each with its declaration. */
export function formatApi(root: string, name: string): string {
  const entries = readEntries(root, name);
  const { program, declarations } = emitDeclarations([...entries.values()]);
  return [...entries]
    .map(([specifier, file]) => `# ${specifier}\n\n${formatEntry(program, file, declarations)}`)
    .join('\n');
}

/** From what is imported to the source that stands for it. */
function readEntries(root: string, name: string): ReadonlyMap<string, string> {
  const folder = path.join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, { readonly 'quartermaster-source': string }>>;
  };
  return new Map(
    Object.entries(manifest.exports).map(([subpath, targets]) => [
      path.posix.join(manifest.name, subpath),
      path.join(folder, targets['quartermaster-source']),
    ]),
  );
}

function formatEntry(program: ts.Program, file: string, declarations: ReadonlyMap<string, string>): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`expected ${file} to be a module; it has no exports.`);
  return checker
    .getExportsOfModule(module)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map((name) => formatName(resolveAlias(checker, name), declarations))
    .join('\n');
}

function resolveAlias(checker: ts.TypeChecker, name: ts.Symbol): ts.Symbol {
  return name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
}

/** The declaration as those who install the package see it, without its comments. */
function formatName({ name, declarations = [] }: ts.Symbol, texts: ReadonlyMap<string, string>): string {
  const file = declarations[0]?.getSourceFile().fileName ?? '';
  const text = texts.get(file) ?? declareAlone(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const printer = ts.createPrinter({ removeComments: true });
  const statements = source.statements.filter((statement) => declares(statement, name));
  return statements.map((one) => `${printer.printNode(ts.EmitHint.Unspecified, one, source)}\n`).join('');
}

/** Of a file of another package, which states its types so that each can be declared by itself. */
function declareAlone(file: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2024, isolatedDeclarations: true };
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions,
    reportDiagnostics: true,
  });
  if (diagnostics.length === 0) return outputText;
  throw new Error(`expected ${file} to state all its types; it does not.`);
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  }
  return (
    (ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement)) &&
    statement.name?.text === name
  );
}
