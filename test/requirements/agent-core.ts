import type { RequirementPage } from './requirement.ts';

const identityTests = 'packages/agent/test/tool-identity.test.ts';
const variantsTests = 'packages/agent/test/tool-variants.test.ts';
const lifetimeTests = 'packages/agent/test/tool-lifetime.test.ts';
const namesTests = 'packages/agent/test/qualified-names.test.ts';
const servicesTests = 'packages/agent/test/required-services.test.ts';
const knowledgeTests = 'packages/agent/test/knowledge-base.test.ts';
const graphTests = 'packages/agent/test/agent-graph.test.ts';
const skillsTests = 'packages/agent/test/skills.test.ts';
const mcpTests = 'packages/agent/test/mcp-tools.test.ts';

/** The rules of the page `agent-core`. */
export const agentCore: RequirementPage = {
  page: 'agent-core',
  requirements: [
    {
      id: 'T1',
      shownBy: [
        { file: identityTests, test: 'T1: the function, the definition and the tool' },
        { file: identityTests, test: 'T1: two registries know nothing' },
        { file: identityTests, test: 'T1: two copies of the package' },
      ],
    },
    { id: 'T2', shownBy: [{ file: identityTests, test: 'T2: %s gets nothing and is denied' }] },
    {
      id: 'T3',
      shownBy: [
        { file: identityTests, test: 'T3: a registered tool, its variant with services' },
        { file: servicesTests, test: 'T3: a tool bound to the services' },
        { file: graphTests, test: 'T3: tools that hand work' },
        { file: mcpTests, test: 'T3: a tool of a server' },
        { file: skillsTests, test: 'T3: the tools of skills resolve' },
      ],
    },
    {
      id: 'T4',
      shownBy: [{ file: identityTests, test: 'T4: %s passes through assembly exactly as it came' }],
    },
    {
      id: 'T5',
      shownBy: [
        { file: lifetimeTests, test: 'T5: a dropped registry' },
        { file: lifetimeTests, test: 'T5: the same in a process of its own' },
      ],
    },
    {
      id: 'T6',
      shownBy: [
        { file: identityTests, test: 'T6: a second tool of a name is refused' },
        { file: identityTests, test: 'T6: replacing retires everything' },
      ],
    },
    {
      id: 'T7',
      shownBy: [
        { file: variantsTests, test: 'T7: each backend registers its own variant' },
        { file: variantsTests, test: 'T7: a variant of a name that was not declared' },
        { file: variantsTests, test: 'T7: a variant that contradicts' },
      ],
    },
    {
      id: 'T8',
      shownBy: [
        { file: variantsTests, test: 'T8: by name and by the variant of another backend' },
        { file: variantsTests, test: 'T8: a declared name without a variant' },
        { file: variantsTests, test: 'T8: it is ambiguous also before any backend' },
      ],
    },
    { id: 'T9', shownBy: [{ file: variantsTests, test: 'T9: an agent gets those of its backend' }] },
    {
      id: 'T10',
      shownBy: [
        { file: namesTests, test: 'T10: two servers may offer the same name' },
        { file: namesTests, test: 'T10: names over the limit are cut' },
        { file: namesTests, test: 'T10: whatever servers and tools are called' },
        { file: mcpTests, test: 'T10: two servers with a tool of one name' },
      ],
    },
    { id: 'P1', open: 'AG-1: permissions' },
    { id: 'P2', open: 'AG-1: permissions' },
    { id: 'P3', open: 'AG-1: permissions' },
    { id: 'P4', open: 'AG-1: permissions' },
    { id: 'P5', open: 'AG-1: permissions' },
    { id: 'P6', open: 'AG-1: permissions' },
    { id: 'P7', open: 'AG-1: permissions' },
    { id: 'P8', open: 'AG-1: permissions' },
    {
      id: 'S1',
      shownBy: [
        { file: servicesTests, test: 'S1: one key, several or none' },
        { file: servicesTests, test: 'S1: an unknown key is refused' },
        { file: servicesTests, test: 'S1: userKnowledgeBase is refused' },
      ],
    },
    {
      id: 'S2',
      shownBy: [
        { file: servicesTests, test: 'S2: a look-alike declares nothing' },
        { file: servicesTests, test: 'S2: a callable registered under another name' },
        { file: knowledgeTests, test: 'S2: texts are ranked' },
        { file: knowledgeTests, test: 'S2: a word inside a %s text' },
      ],
    },
    {
      id: 'S3',
      shownBy: [
        { file: servicesTests, test: 'S3: an application’s own tool' },
        { file: servicesTests, test: 'S3: a service that is no kind' },
      ],
    },
    {
      id: 'G1',
      shownBy: [
        { file: graphTests, test: 'G1: agents by name' },
        { file: graphTests, test: 'G1: a fault is found before' },
      ],
    },
    { id: 'G2', shownBy: [{ file: graphTests, test: 'G2: %s' }] },
    {
      id: 'G3',
      shownBy: [
        { file: graphTests, test: 'G3: the order of declaration' },
        { file: graphTests, test: 'G3: in any tree' },
      ],
    },
    {
      id: 'G4',
      shownBy: [
        { file: graphTests, test: 'G4: %s' },
        { file: graphTests, test: 'G4: %s is refused by' },
        { file: graphTests, test: 'G4: what can be refused without a call' },
      ],
    },
    { id: 'M1', open: 'AG-1: models' },
    { id: 'M2', open: 'AG-1: models' },
    { id: 'M3', open: 'AG-1: models' },
    { id: 'M4', open: 'AG-1: models' },
    { id: 'C1', open: 'AG-1: settings' },
    { id: 'C2', open: 'AG-1: settings' },
    { id: 'C3', open: 'AG-1: settings' },
    { id: 'C4', open: 'AG-1: settings' },
    { id: 'I1', open: 'AG-1: session identity' },
    { id: 'I2', open: 'AG-1: session identity' },
    { id: 'I3', open: 'AG-1: session identity' },
    { id: 'I4', open: 'AG-1: session identity' },
    { id: 'L1', open: 'AG-2: turns and lifecycle' },
    { id: 'L2', open: 'AG-2: turns and lifecycle' },
    { id: 'L3', open: 'AG-2: turns and lifecycle' },
    { id: 'L4', open: 'AG-2: turns and lifecycle' },
    { id: 'L5', open: 'AG-2: turns and lifecycle' },
    { id: 'L6', open: 'AG-2: turns and lifecycle' },
    { id: 'L7', open: 'AG-2: turns and lifecycle' },
    { id: 'L8', open: 'AG-2: turns and lifecycle' },
    { id: 'R1', open: 'AG-2: turn results' },
    { id: 'R2', open: 'AG-2: turn results' },
    { id: 'R3', open: 'AG-2: turn results' },
    { id: 'R4', open: 'AG-2: turn results' },
    { id: 'R5', open: 'AG-2: turn results' },
    { id: 'J1', open: 'not filed yet: jobs' },
    { id: 'J2', open: 'not filed yet: jobs' },
    { id: 'J3', open: 'not filed yet: jobs' },
    { id: 'J4', open: 'not filed yet: jobs' },
    { id: 'J5', open: 'not filed yet: jobs' },
    { id: 'J6', open: 'not filed yet: jobs' },
    { id: 'J7', open: 'not filed yet: jobs' },
    { id: 'J8', open: 'not filed yet: jobs' },
    { id: 'J9', open: 'not filed yet: jobs' },
    { id: 'J10', open: 'not filed yet: jobs' },
    {
      id: 'K1',
      shownBy: [
        { file: skillsTests, test: 'K1: each is listed in one line' },
        { file: skillsTests, test: 'K1: a body is read when it is asked for' },
      ],
    },
    {
      id: 'K2',
      shownBy: [
        { file: skillsTests, test: 'K2: run_skill_script exists exactly' },
        { file: skillsTests, test: 'K2: a script runs' },
      ],
    },
  ],
};
