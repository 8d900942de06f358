import type { Mutant } from './mutant.ts';

const source = 'packages/agent/src';
const tests = 'packages/agent/test';
const registry = `${source}/tools/tool-registry.ts`;
const factory = `${source}/tools/tool-factory.ts`;
const graph = `${source}/graph/validate-agent-graph.ts`;
const prompt = `${source}/graph/prompt.ts`;
const names = `${source}/tools/qualified-names.ts`;
const words = `${source}/services/words.ts`;
const identityTest = `${tests}/tool-identity.test.ts`;
const variantTest = `${tests}/tool-variants.test.ts`;
const serviceTest = `${tests}/required-services.test.ts`;
const graphTest = `${tests}/agent-graph.test.ts`;

/** Of tool identity, services, the agent graph and skills. */
export const agentMutants: readonly Mutant[] = [
  {
    name: 'a name is an identity',
    file: registry,
    find: 'resolve: (candidate) => factory.find(candidate)?.definition,',
    replace: `resolve: (candidate) =>
      factory.find(candidate)?.definition ?? canonicalFor(String(candidate), ''),`,
    killedBy: { file: identityTest, test: 'T1: the function, the definition and the tool' },
  },
  {
    name: 'one identity map for all registries',
    file: factory,
    find: '  const identities = new WeakMap<',
    replace:
      '  const identities = (globalThis.planted ??= new WeakMap()) as WeakMap<object, never>; new WeakMap<',
    killedBy: { file: identityTest, test: 'T1: two registries know nothing of each other' },
  },
  {
    name: 'a copy of the tool is the tool',
    file: factory,
    find: 'const identity = identities.get(candidate);',
    replace:
      "const identity = identities.get(candidate) ?? identities.get(Reflect.get(candidate, 'run') as object);",
    killedBy: { file: identityTest, test: 'T2: a frozen clone gets nothing and is denied' },
  },
  {
    name: 'what is not bound is called',
    file: `${source}/tools/call-tool.ts`,
    find: "if (identity === undefined) return { type: 'denied', reason: notBound };",
    replace:
      "if (identity === undefined) return { type: 'completed', output: Reflect.apply(candidate as never, undefined, []) };",
    killedBy: { file: identityTest, test: 'T2: a look-alike function gets nothing and is denied' },
  },
  {
    name: 'a variant of a run is not bound',
    file: factory,
    find: '      identities.set(variant, { binding, tool: variant });\n',
    replace: '',
    killedBy: { file: identityTest, test: 'T3: a registered tool, its variant with services' },
  },
  {
    name: 'a renamed tool loses what it requires',
    file: registry,
    find: '{ ...tool, name, run',
    replace: '{ name, description: tool.description, inputSchema: tool.inputSchema, run',
    killedBy: { file: identityTest, test: 'T3: a registered tool, its variant with services' },
  },
  {
    name: 'what is not bound is copied by assembly',
    file: `${source}/tools/assembly.ts`,
    find: 'name: nameOf(reference), supplied: reference }',
    replace: 'name: nameOf(reference), supplied: { ...reference } }',
    killedBy: { file: identityTest, test: 'T4: a spread copy passes through assembly' },
  },
  {
    name: 'identities are held for ever',
    file: factory,
    find: 'const identities = new WeakMap<',
    replace: 'const identities = new Map<',
    killedBy: { file: `${tests}/tool-lifetime.test.ts`, test: 'T5: a dropped registry, its closures' },
  },
  {
    name: 'the second of a name wins',
    file: registry,
    find: 'if (entry !== undefined && !replace) throw taken(name);',
    replace: '',
    killedBy: { file: identityTest, test: 'T6: a second tool of a name is refused' },
  },
  {
    name: 'a replaced tool lives on',
    file: factory,
    find: 'for (const former of insteadOf) requireBinding(former).isRetired = true;',
    replace: '',
    killedBy: { file: identityTest, test: 'T6: replacing retires everything' },
  },
  {
    name: 'a callable may be two tools',
    file: factory,
    find: 'if (other !== undefined && !insteadOf.includes(other)) throw boundTwice(definition.name, other.name);',
    replace: '',
    killedBy: { file: identityTest, test: 'T6: a function that is one tool can not become another one' },
  },
  {
    name: 'an answer of the gate that is no denial is an allow',
    file: `${source}/tools/call-tool.ts`,
    find: "return answer.type === 'allow' ? answer : { type: 'deny', reason: answer.reason };",
    replace: 'return answer;',
    killedBy: { file: 'packages/agent/test/call-tool.test.ts', test: 'P7: an answer that is no allow' },
  },
  {
    name: 'replaced while the gate asked, and run',
    file: `${source}/tools/call-tool.ts`,
    find: "if (options.registry.resolve(candidate) !== definition) return { type: 'denied', reason: notBound };",
    replace: '',
    killedBy: { file: identityTest, test: 'T6: a tool that is replaced while the gate asks' },
  },
  {
    name: 'a variant needs no declaration',
    file: registry,
    find: "if (entry?.type !== 'declared') throw new UndeclaredVariantError(name, backend);",
    replace: "if (entry?.type !== 'declared') return registerForAll(definition, { replace: true });",
    killedBy: { file: variantTest, test: 'T7: a variant of a name that was not declared' },
  },
  {
    name: 'a variant may contradict its declaration',
    file: registry,
    find: 'requireSameCapabilities(name, capabilities, definition.capabilities ?? capabilities);',
    replace: '',
    killedBy: { file: variantTest, test: 'T7: a variant that contradicts the declared capabilities' },
  },
  {
    name: 'any variant will do',
    file: registry,
    find: "entry?.type === 'declared' ? entry.variants.get(backend) : entry?.tool;",
    replace: "entry?.type === 'declared' ? entry.variants.values().next().value : entry?.tool;",
    killedBy: { file: variantTest, test: 'T8: by name and by the variant of another backend alike' },
  },
  {
    name: 'declared without a variant is unknown',
    file: registry,
    find: "if (entry?.type !== 'declared') throw unknownName(name, entries.keys());",
    replace:
      "if (entry?.type !== 'declared' || entry.variants.size === 0) throw unknownName(name, entries.keys());",
    killedBy: { file: variantTest, test: 'T8: it is ambiguous also before any backend has registered' },
  },
  {
    name: 'state tools are the last backend’s',
    file: `${source}/tools/state-tools.ts`,
    find: '{ variantOf: definition.name, backend: variant.backend }',
    replace: '{ replace: true }',
    killedBy: { file: variantTest, test: 'T9: an agent gets those of its backend' },
  },
  {
    name: 'a qualified name is parsed',
    file: names,
    find: 'originOf: (name) => origins.get(name),',
    replace: `originOf: (name) => {
      const [, server = '', ...tool] = name.split('__');
      return { server, tool: tool.join('__') };
    },`,
    killedBy: { file: `${tests}/qualified-names.test.ts`, test: 'T10: two servers may offer the same name' },
  },
  {
    name: 'a long qualified name is only cut',
    file: names,
    find: 'return `${readable(server, tool).slice(0, maxLength - hashLength - 1)}_${hash}`;',
    replace: 'return readable(server, tool).slice(0, maxLength) + hash.slice(0, 0);',
    killedBy: { file: `${tests}/qualified-names.test.ts`, test: 'T10: names over the limit are cut' },
  },
  {
    name: 'a server may take a shortened name',
    file: names,
    find: ' && !hashedName.test(plain)',
    replace: '',
    killedBy: { file: `${tests}/qualified-names.test.ts`, test: 'T10: a server can not choose' },
  },
  {
    name: 'an unknown service is ignored',
    file: `${source}/tools/check-definition.ts`,
    find: '  parseServiceKeys(name, definition.requires);\n',
    replace: '',
    killedBy: { file: serviceTest, test: 'S1: an unknown key is refused at registration' },
  },
  {
    name: 'services that were not declared',
    file: `${source}/tools/call-tool.ts`,
    find: 'if (isDeclared && service !== undefined) return service;',
    replace: 'if (service !== undefined) return service;',
    killedBy: { file: `${tests}/call-tool.test.ts`, test: 'S1: a tool gets the services it requires' },
  },
  {
    name: 'services by what an object says',
    file: `${source}/services/required-services.ts`,
    find: 'const definition = registry.resolve(candidate);',
    replace: 'const definition = registry.resolve(candidate) ?? (candidate as never);',
    killedBy: { file: serviceTest, test: 'S2: a look-alike declares nothing' },
  },
  {
    name: 'words end at spaces only',
    file: words,
    find: "return Array.from(segmenter.segment(text.normalize('NFKC').toLowerCase()))",
    replace:
      "return text.normalize('NFKC').toLowerCase().split(/\\s+/).map((segment) => ({ segment, isWordLike: segmenter !== undefined }))",
    killedBy: { file: `${tests}/knowledge-base.test.ts`, test: 'S2: a word inside a Chinese text' },
  },
  {
    name: 'a table from names to services',
    file: `${source}/services/required-services.ts`,
    find: 'parseServiceKeys(definition.name, definition.requires);',
    replace: "parseServiceKeys(definition.name, definition.name === 'search' ? 'knowledgeBase' : []);",
    killedBy: { file: serviceTest, test: 'S3: an application' },
  },
  {
    name: 'a program sees our secrets',
    file: `${source}/services/scrubbed-environment.ts`,
    find: '[...safeNames, ...declared].flatMap(',
    replace: 'Object.keys(environment).flatMap(',
    killedBy: { file: `${tests}/code-executor.test.ts`, test: 'case 139: shell sees no secret' },
  },
  {
    name: 'a device is read to its end',
    file: `${source}/services/read-source.ts`,
    find: 'if (!file.isFile()) throw',
    replace: 'if (file.isFIFO() || file.isDirectory()) throw',
    killedBy: { file: `${tests}/knowledge-base.test.ts`, test: 'what has no end of its own is refused' },
  },
  {
    name: "errors show a URL's query",
    file: `${source}/services/read-source.ts`,
    find: 'const shown = redact(source, []);',
    replace: 'const shown = source;',
    killedBy: { file: `${tests}/knowledge-base.test.ts`, test: 'case 131: no error shows' },
  },
  {
    name: 'an answer that nobody reads keeps its connection',
    file: `${source}/services/read-source.ts`,
    find: 'await response.body?.cancel();',
    replace: '',
    killedBy: { file: `${tests}/knowledge-base.test.ts`, test: 'an answer that nobody reads is let go of' },
  },
  {
    name: 'prompts are made before the graph',
    file: graph,
    find: 'for (const config of configs) checkPrompt(config);',
    replace:
      'for (const config of configs) if (typeof config.prompt !== "string") config.prompt({} as never);',
    killedBy: { file: graphTest, test: 'G1: a fault is found before anything of an agent is called' },
  },
  ...(
    [
      ['no agent', 'refuseNone(configs);', 'G2: no agent'],
      ['a name twice', 'refuseDuplicates(configs);', 'G2: a name twice'],
      ['a dangling reference', 'refuseDangling(agents);', 'G2: a reference to nobody'],
      ['a self-reference', 'refuseSelfReferences(agents);', 'G2: an agent below itself'],
      ['a shared child', 'refuseSharedChildren(agents);', 'G2: a child of two parents'],
      ['a cycle', 'refuseCycles(agents);', 'G2: a cycle'],
    ] as const
  ).map(([fault, find, test]) => ({
    name: `${fault} is let through`,
    file: graph,
    find: `  ${find}\n`,
    replace: '',
    killedBy: { file: graphTest, test },
  })),
  {
    name: 'the first of two roots is taken',
    file: graph,
    find: 'if (root !== undefined && roots.length === 1) return root;',
    replace: 'if (root !== undefined) return root;',
    killedBy: { file: graphTest, test: 'G2: two roots' },
  },
  {
    name: 'agents are built as they were declared',
    file: graph,
    find: 'buildOrder: childrenFirst(agents, root)',
    replace: 'buildOrder: childrenFirst(agents, root) && [...agents.keys()]',
    killedBy: { file: graphTest, test: 'G3: the order of declaration never changes the hierarchy' },
  },
  {
    name: 'a factory may take two arguments',
    file: prompt,
    find: 'if (prompt.length > 1) throw notPrompt(name, `got a function of ${prompt.length} arguments`);',
    replace: '',
    killedBy: { file: graphTest, test: 'G4: two arguments is refused' },
  },
  {
    name: 'an async factory is called',
    file: prompt,
    find: "if (kind !== 'Function') throw notPrompt(",
    replace: "if (kind === '') throw notPrompt(",
    killedBy: { file: graphTest, test: 'G4: what can be refused without a call' },
  },
  {
    name: 'a prompt may be anything',
    file: prompt,
    find: "if (typeof text === 'string') return text;",
    replace: 'return String(text);',
    killedBy: { file: graphTest, test: 'G4: a factory that gives something else' },
  },
  {
    name: 'settings for a factory that takes none',
    file: prompt,
    find: 'prompt.length === 0 ? Reflect.apply(prompt, undefined, []) : prompt(settings)',
    replace: 'prompt(settings)',
    killedBy: { file: graphTest, test: 'G4: a factory that takes nothing is given nothing' },
  },
  {
    name: 'a skill may leave its folder',
    file: `${source}/skills/skill-tools.ts`,
    find: 'path?.startsWith(root + sep) === true',
    replace: 'path !== undefined',
    killedBy: { file: `${tests}/skills.test.ts`, test: 'K1: no file outside of a skill' },
  },
  {
    name: 'a skill is listed in many lines',
    file: `${source}/skills/skill-file.ts`,
    find: "description: description.trim().replaceAll(/\\s+/g, ' ')",
    replace: 'description: `${description}\\n${body}`',
    killedBy: { file: `${tests}/skills.test.ts`, test: 'K1: each is listed in one line' },
  },
  {
    name: 'scripts without an executor',
    file: `${source}/skills/skill-tools.ts`,
    find: 'codeExecutor === undefined ? [] : [runSkillScript(skills, codeExecutor)]',
    replace: '[runSkillScript(skills, codeExecutor as never)]',
    killedBy: { file: `${tests}/skills.test.ts`, test: 'K2: run_skill_script exists exactly when' },
  },
];
