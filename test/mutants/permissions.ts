import type { Mutant } from './mutant.ts';

const source = 'packages/agent/src/permissions';
const tests = 'packages/agent/test';
const pathTest = `${tests}/permission-paths.test.ts`;
const urlTest = `${tests}/permission-urls.test.ts`;
const commandTest = `${tests}/permission-commands.test.ts`;
const ruleTest = `${tests}/permission-rules.test.ts`;
const gateTest = `${tests}/gate.test.ts`;

/** Of what a call is used on, and of command lines. */
const targetMutants: readonly Mutant[] = [
  {
    name: 'links are not followed',
    file: `${source}/path/path-target.ts`,
    find: 'const held = surroundings.readLink(path);',
    replace: 'const held = undefined as string | undefined;',
    killedBy: { file: pathTest, test: 'P1: a link is followed' },
  },
  {
    name: '.. is taken away by the text alone',
    file: `${source}/path/path-target.ts`,
    find: '? [tidy(segments), segments] : [segments];',
    replace: '? [tidy(segments)] : [segments];',
    killedBy: { file: pathTest, test: 'P1: .. after a link' },
  },
  {
    name: 'case counts everywhere',
    file: `${source}/path/path-target.ts`,
    find: 'return isCaseSensitive ? path : path',
    replace: 'return true ? path : path',
    killedBy: { file: pathTest, test: 'P1: case counts only' },
  },
  {
    name: 'a name keeps its dots and spaces on Windows',
    file: `${source}/path/split-path.ts`,
    find: "name.replace(/[. ]+$/, '')",
    replace: 'name',
    killedBy: { file: pathTest, test: 'P1: C:\\secret. \\key' },
  },
  {
    name: "a user before a URL's host is passed over",
    file: `${source}/url/url-target.ts`,
    find: 'if (/^[^/]*:\\/\\/[^/?#]*@/.test(text)) {',
    replace: 'if (false) {',
    killedBy: { file: urlTest, test: 'P1: "https://evil.org@docs.example.com/"' },
  },
  {
    name: 'an IPv4 address in IPv6 is another address',
    file: `${source}/url/url-target.ts`,
    find: 'if (mapped === null) return host;',
    replace: 'return host;',
    killedBy: { file: urlTest, test: 'P1: http://[::ffff:127.0.0.1]/' },
  },
  {
    name: 'a missing target is any target',
    file: `${source}/requirement.ts`,
    find: "return [denied(capability, 'no target', reason)];",
    replace: "return [{ type: 'use', capability, target: { type: 'any', shown: reason } }];",
    killedBy: { file: ruleTest, test: 'P1: a target that is missing' },
  },
  {
    name: 'substitutions are not looked into',
    file: `${source}/shell/read-command-line.ts`,
    find: '  forEachChild(node, (child) => visit(inner, child, node));',
    replace:
      "  if (node.type !== 'CommandExpansion') forEachChild(node, (child) => visit(inner, child, node));",
    killedBy: { file: commandTest, test: 'P5: "git \\"a $(rm x) b\\"" is denied' },
  },
  {
    name: 'redirections are passed over',
    file: `${source}/shell/read-command-line.ts`,
    find: 'else walk.uses.push(...redirect.uses);',
    replace: '',
    killedBy: { file: commandTest, test: 'P5: "git log > /etc/passwd"' },
  },
  {
    name: 'variables before a command are passed over',
    file: `${source}/shell/node-facts.ts`,
    find: "    case 'Assignment':\n      return [node.name];",
    replace: "    case 'Assignment':\n      return [];",
    killedBy: { file: commandTest, test: 'P5: "PATH=/tmp git log" is asked about' },
  },
  {
    name: 'wrappers are not looked into',
    file: `${source}/shell/read-command-line.ts`,
    find: 'for (const inner of lookInto(words)) {',
    replace: 'for (const inner of lookInto([])) {',
    killedBy: { file: commandTest, test: 'P5: "sudo -u root rm x" is denied' },
  },
  {
    name: 'what the parser could not read is passed over',
    file: `${source}/shell/read-command-line.ts`,
    find: 'if (walk.scripts.some(({ errors = [] }) => errors.length > 0)) {',
    replace: 'if (false) {',
    killedBy: { file: commandTest, test: 'P5: what can not be read' },
  },
  {
    name: "the parser's words are taken on trust",
    file: `${source}/shell/read-command-line.ts`,
    find: "if (isMisread(node, around)) walk.doubts.push('an operator stands in the middle of a word');",
    replace: '',
    killedBy: { file: commandTest, test: 'P5: what can not be read ("git log 1>(rm x)")' },
  },
  {
    name: 'a folder that was left is still the workspace',
    file: `${source}/shell/forget-folder.ts`,
    find: "return name?.type !== 'text' || movingCommands.has(name.text);",
    replace: 'return false;',
    killedBy: { file: commandTest, test: 'P5: "cd / && echo x > out/passwd"' },
  },
  {
    name: 'arithmetic runs nothing',
    file: `${source}/shell/read-command-line.ts`,
    find: 'if (evaluated !== undefined) addUnknown(walk, evaluated);',
    replace: '',
    killedBy: { file: commandTest, test: 'P5: "echo $((a[0]))"' },
  },
  {
    name: 'a program below a folder that was left is the same one',
    file: `${source}/shell/forget-folder.ts`,
    find: 'return hasMoved && isRelative(use.words) ? [use, elsewhere(use.words)] : [use];',
    replace: 'return [use];',
    killedBy: { file: commandTest, test: 'P5: a program below the folder' },
  },
  {
    name: 'the indexes of a list run nothing',
    file: `${source}/shell/node-facts.ts`,
    find: '/^\\[.*\\]\\+?=/s.test(text) && !/^\\[\\d+\\]\\+?=/.test(text)',
    replace: 'false && text',
    killedBy: { file: commandTest, test: 'P5: "A=([B]+=c)"' },
  },
  {
    name: 'a variable that bash evaluates is one like the others',
    file: `${source}/shell/read-command-line.ts`,
    find: 'if (evaluatedVariables.has(name)) addUnknown(walk, name);',
    replace: '',
    killedBy: { file: commandTest, test: 'P5: what RANDOM is set to runs' },
  },
  {
    name: 'a list in a declared text runs nothing',
    file: `${source}/shell/look-into-builtin.ts`,
    find: "!texts.some((text) => text.includes('=('));",
    replace: 'true;',
    killedBy: { file: commandTest, test: 'P5: "declare \'A=(b)\'"' },
  },
  {
    name: 'jobs runs nothing',
    file: `${source}/shell/look-into-builtin.ts`,
    find: 'jobs: (texts) => (texts.some((text) => /^-\\w*x/.test(text)) ? undefined : []),',
    replace: '',
    killedBy: { file: commandTest, test: 'P5: "jobs -x ls"' },
  },
  {
    name: 'braces after \\x are plain letters',
    file: `${source}/shell/read-word.ts`,
    find: " && !part.text.includes('\\\\x{')",
    replace: '',
    killedBy: { file: commandTest, test: 'P5: "git $' },
  },
  {
    name: 'quotes after >& hide what is in them',
    file: `${source}/shell/redirect.ts`,
    find: "if (isCopy && !/^[\\w+,./-]+$/.test(path ?? '')) {",
    replace: 'if (false) {',
    killedBy: { file: commandTest, test: 'P5: git log >& ' },
  },
  {
    name: 'a device is a script like others',
    file: `${source}/shell/look-into.ts`,
    find: '|\\/+(dev|proc)\\/)/.test(operand.text)',
    replace: ')/.test(operand.text)',
    killedBy: { file: commandTest, test: 'P5: "sh /dev/stdin"' },
  },
  {
    name: 'parts stand in one another as deep as they like',
    file: `${source}/shell/read-command-line.ts`,
    find: 'if (error instanceof RangeError) return unclear(tooDeep);',
    replace: '',
    killedBy: { file: commandTest, test: 'P5: coprocesses in one another' },
  },
  {
    name: 'wrappers stand in one another as deep as they like',
    file: `${source}/shell/read-command-line.ts`,
    find: 'if (walk.nesting > mostNesting) {',
    replace: 'if (walk.nesting > 100) {',
    killedBy: { file: commandTest, test: 'P5: nine wrappers' },
  },
];

/** Of rules, sources, the gate and approvals. */
const ruleMutants: readonly Mutant[] = [
  {
    name: 'a tool without a declaration is exempt',
    file: `${source}/engine.ts`,
    find: 'return decideBy(tool, [undeclared]);',
    replace: 'return decideBy(tool, [exemption]);',
    killedBy: { file: ruleTest, test: 'P2: capabilities undefined are denied' },
  },
  {
    name: 'the last rule wins',
    file: `${source}/judge.ts`,
    find: 'else if (strictest === undefined || isStricter(answer, strictest.answer)) {',
    replace: 'else {',
    killedBy: { file: ruleTest, test: 'P3: the strictest rule wins' },
  },
  {
    name: 'what no rule covers is allowed',
    file: `${source}/engine.ts`,
    find: "return createEngine(options, { unmatched: 'ask' });",
    replace: "return createEngine(options, { unmatched: 'allow' });",
    killedBy: { file: ruleTest, test: 'P3: what no rule covers' },
  },
  {
    name: 'a contradiction is let through',
    file: `${source}/compile-rules.ts`,
    find: 'else if (other.answer !== rule.answer) {',
    replace: 'else if (false) {',
    killedBy: { file: ruleTest, test: 'P3: one rule twice in one source' },
  },
  {
    name: 'a denial that may hold is passed over',
    file: `${source}/judge.ts`,
    find: "return certainty === 'no' || answer === 'allow' ? undefined : 'ask';",
    replace: 'return undefined;',
    killedBy: { file: commandTest, test: 'P5: what hides a command is allowed only' },
  },
  {
    name: "a stranger's project allows",
    file: `${source}/judge.ts`,
    find: "rule.source === 'project' && !isTrusted",
    replace: 'false',
    killedBy: { file: ruleTest, test: 'P4: what a project allows counts once' },
  },
  {
    name: 'unknown keys of a policy are passed over',
    file: `${source}/policy/policy-schema.ts`,
    find: 'export const policyRuleSchema = z.strictObject({',
    replace: 'export const policyRuleSchema = z.object({',
    killedBy: { file: `${tests}/policy-file.test.ts`, test: 'P4: "rules:\\n  - allow: x\\n    traget: y"' },
  },
  {
    name: 'a text that starts with * is nobody’s fault',
    file: 'packages/agent/src/settings/strict-yaml.ts',
    find: 'if (alias.resolve(document) === undefined) offsets.push(alias.range?.[0] ?? 0);',
    replace: '',
    killedBy: {
      file: `${tests}/policy-file.test.ts`,
      test: 'P4: "rules:\\n  - allow: x\\n    target: *.md"',
    },
  },
  {
    name: 'an approval is used again',
    file: `${source}/approvals.ts`,
    find: '?.delete(keyOf(call))',
    replace: '?.has(keyOf(call))',
    killedBy: { file: gateTest, test: 'P6: it is used once' },
  },
  {
    name: 'an approval holds for other arguments',
    file: `${source}/approvals.ts`,
    find: 'return JSON.stringify([callId, inputHash]);',
    replace: 'return JSON.stringify([callId]);',
    killedBy: { file: gateTest, test: 'P6: other arguments, another call id' },
  },
  {
    name: 'an approval holds for other definitions',
    file: `${source}/approvals.ts`,
    find: `ofRegistry.set(call.definition, ofDefinition.add(keyOf(call))));
    },
    use: (call) => granted.get(call.registry)?.get(call.definition)`,
    replace: `ofRegistry.set(call.registry as never, ofDefinition.add(keyOf(call))));
    },
    use: (call) => granted.get(call.registry)?.get(call.registry as never)`,
    killedBy: { file: gateTest, test: 'P6: a definition that changes' },
  },
  {
    name: 'a call may change while the question stands',
    file: `${source}/gate.ts`,
    find: 'if (!isSame || call.signal.aborted || registry.resolve(call.tool) !== definition) {',
    replace: 'if (false) {',
    killedBy: { file: gateTest, test: 'P6: when its arguments change' },
  },
  {
    name: 'the gate takes any tool',
    file: `${source}/gate.ts`,
    find: 'const definition = registry.resolve(call.tool);',
    replace: 'const definition = call.tool;',
    killedBy: { file: gateTest, test: 'P7: the gate denies what its registry does not resolve' },
  },
  {
    name: 'rules that come later do not count',
    file: `${source}/engine.ts`,
    find: 'byCapability.clear();',
    replace: '',
    killedBy: { file: gateTest, test: 'P7: a denial takes effect at the next call' },
  },
  {
    name: 'a sub-agent goes by its own rules',
    file: `${source}/engine.ts`,
    find: 'return parent === undefined ? alone : joinDecisions(call.tool, [parent.decide(call), alone]);',
    replace: 'return alone;',
    killedBy: { file: ruleTest, test: 'P8: never gets more than its parent' },
  },
  {
    name: 'a target is whatever an argument computes',
    file: `${source}/requirement.ts`,
    find: 'isPlain ? Object.getOwnPropertyDescriptor(holder, name)?.value : undefined;',
    replace: 'isPlain ? Reflect.get(holder, name) : undefined;',
    killedBy: { file: ruleTest, test: 'P1: what an argument computes is no target' },
  },
  {
    name: 'an approval is of whatever an argument computes',
    file: `${source}/hash-input.ts`,
    find: "return held !== undefined && 'value' in held ? encode(held.value, within) : undefined;",
    replace: 'return held && encode(Reflect.get(holder, key), within);',
    killedBy: { file: gateTest, test: 'P6: what has no value to compare has no hash' },
  },
  {
    name: 'a tool declares what no rule can name',
    file: 'packages/agent/src/tools/check-definition.ts',
    find: "typeof capability === 'string' && isCapability(capability) &&",
    replace: '',
    killedBy: { file: `${tests}/tool-identity.test.ts`, test: 'a capability that no rule can name' },
  },
  {
    name: 'a rule with another answer is none',
    file: `${source}/compile-rule.ts`,
    find: 'if (!Object.hasOwn(strength, rule.answer))',
    replace: 'if (false)',
    killedBy: { file: ruleTest, test: 'P3: a rule of code with another answer' },
  },
  {
    name: 'a rule of another source is left out',
    file: `${source}/compile-rules.ts`,
    find: '...findSourceless(rules), ',
    replace: '',
    killedBy: { file: ruleTest, test: 'P3: a rule of code with another source' },
  },
  {
    name: 'what is neither denied nor asked about is allowed',
    file: `${source}/decision.ts`,
    find: "answer !== 'allow' && answer !== 'ask'",
    replace: "answer === 'deny'",
    killedBy: { file: ruleTest, test: 'P3: what is neither allowed nor asked about' },
  },
  {
    name: 'narrow narrows whatever it is called on',
    file: `${source}/engine.ts`,
    find: 'parent: engine });',
    replace: 'parent: this });',
    killedBy: { file: ruleTest, test: 'P8: it is narrowed from its parent however' },
  },
];

/** Of permissions. */
export const permissionMutants: readonly Mutant[] = [...targetMutants, ...ruleMutants];
