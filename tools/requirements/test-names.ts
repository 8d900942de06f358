import ts from 'typescript';

/** What follows `test` or `it` in a call that defines a test which runs; `each` and the like take arguments first. */
const runningForms: ReadonlySet<string> = new Set([
  'each',
  'for',
  'concurrent',
  'sequential',
  'skipIf',
  'runIf',
]);

/**
 * The names of the tests that a file defines, in order: the first argument of `test` or `it`, of `test.each(…)` and
 * the like as it is written, `%s` included. A name with a substitution ends before it. What is always skipped (alone
 * or with its `describe`), a `todo` or expected to fail shows nothing and is left out.
 */
export function testNamesIn(source: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isSkippedGroup(node)) return;
    if (ts.isCallExpression(node) && definesTest(node.expression)) {
      const name = textOf(node.arguments[0]);
      if (name !== undefined) names.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true));
  return names;
}

/** Follows `test`, `test.each(…)`, `test.each`…`` and chains of them back to the name that they begin with. */
function definesTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  if (ts.isCallExpression(callee)) return definesTest(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return definesTest(callee.tag);
  return (
    ts.isPropertyAccessExpression(callee) &&
    runningForms.has(callee.name.text) &&
    definesTest(callee.expression)
  );
}

/** `describe.skip(…)` and `describe.todo(…)`, with all that they hold. */
function isSkippedGroup(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /^describe\b.*\.(?:skip|todo)\b/s.test(node.expression.getText());
}

function textOf(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text : undefined;
}
