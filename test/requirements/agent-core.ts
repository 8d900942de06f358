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
const permissionPathTests = 'packages/agent/test/permission-paths.test.ts';
const permissionUrlTests = 'packages/agent/test/permission-urls.test.ts';
const permissionCommandTests = 'packages/agent/test/permission-commands.test.ts';
const permissionRuleTests = 'packages/agent/test/permission-rules.test.ts';
const permissionPropertyTests = 'packages/agent/test/permission-properties.test.ts';
const policyTests = 'packages/agent/test/policy-file.test.ts';
const gateTests = 'packages/agent/test/gate.test.ts';
const settingsTests = 'packages/agent/test/settings.test.ts';
const secretTests = 'packages/agent/test/secret.test.ts';
const modelTests = 'packages/agent/test/models.test.ts';
const admissionTests = 'packages/agent/test/turns/admission.test.ts';
const lifecycleTests = 'packages/agent/test/turns/lifecycle.test.ts';
const ownedTests = 'packages/agent/test/turns/build-owned.test.ts';
const questionTests = 'packages/agent/test/turns/questions.test.ts';
const controllerTests = 'packages/agent/test/turns/workflow-controller.test.ts';
const cancelTests = 'packages/agent/test/turns/cancel.test.ts';
const resultTests = 'packages/agent/test/turns/results.test.ts';
const sessionTests = 'packages/agent/test/turns/sessions.test.ts';
const jobDeliveryTests = 'packages/agent/test/turns/job-delivery.test.ts';
const listerTests = 'packages/providers/test/listers.test.ts';
const callTests = 'packages/providers/test/calls.test.ts';
const creationTests = 'packages/providers/test/create-language-model.test.ts';

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
        { file: 'packages/runtime/test/mcp/lists.test.ts', test: 'T10: a tool of one name on two servers' },
      ],
    },
    {
      id: 'P1',
      shownBy: [
        { file: permissionPathTests, test: 'P1: a link is followed' },
        { file: permissionPathTests, test: 'P1: .. after a link' },
        { file: permissionPathTests, test: 'P1: case counts only' },
        { file: permissionPathTests, test: 'P1: ~ is the home' },
        { file: permissionUrlTests, test: 'P1: a name in other letters' },
        { file: permissionRuleTests, test: 'P1: a target that is missing' },
        { file: permissionPropertyTests, test: 'P1: no path is allowed' },
        { file: permissionPropertyTests, test: 'P1: no URL is allowed' },
      ],
    },
    {
      id: 'P2',
      shownBy: [
        { file: permissionRuleTests, test: 'P2: capabilities %j are denied' },
        { file: permissionRuleTests, test: 'P2: exempt is a declaration' },
      ],
    },
    {
      id: 'P3',
      shownBy: [
        { file: permissionRuleTests, test: 'P3: the strictest rule wins' },
        { file: permissionRuleTests, test: 'P3: what no rule covers' },
        { file: permissionRuleTests, test: 'P3: one rule twice in one source' },
      ],
    },
    {
      id: 'P4',
      shownBy: [
        { file: permissionRuleTests, test: 'P4: what a project allows counts once' },
        { file: permissionRuleTests, test: 'P4: every decision names the rule' },
        { file: permissionRuleTests, test: 'P4: of two equally strict rules' },
        { file: policyTests, test: 'P4: %j' },
        { file: policyTests, test: 'P4: all faults are named' },
      ],
    },
    {
      id: 'P5',
      shownBy: [
        { file: permissionCommandTests, test: 'P5: %j is denied for its rm' },
        { file: permissionCommandTests, test: 'P5: %j hides what it runs' },
        { file: permissionCommandTests, test: 'P5: what can not be read' },
        { file: permissionPropertyTests, test: 'P5: no command line is allowed' },
        { file: permissionPropertyTests, test: 'P5: for a line that is allowed, bash itself' },
      ],
    },
    {
      id: 'P6',
      shownBy: [
        { file: gateTests, test: 'P6: it is used once' },
        { file: gateTests, test: 'P6: other arguments, another call id' },
        { file: gateTests, test: 'P6: a definition that changes' },
      ],
    },
    {
      id: 'P7',
      shownBy: [
        { file: gateTests, test: 'P7: a denial takes effect' },
        { file: gateTests, test: 'P7: a tool that appears after' },
        { file: gateTests, test: 'P7: the gate denies what its registry' },
      ],
    },
    {
      id: 'P8',
      shownBy: [
        { file: permissionRuleTests, test: 'P8: never gets more than its parent' },
        { file: permissionRuleTests, test: 'P8: a rule that its parent gets later' },
      ],
    },
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
    {
      id: 'M1',
      shownBy: [
        { file: modelTests, test: 'M1: every place that can name a model' },
        { file: modelTests, test: 'M1: one unknown model refuses all' },
        { file: modelTests, test: 'M1: a model that only the listing knows' },
        { file: listerTests, test: 'M1: models of all three' },
      ],
    },
    {
      id: 'M2',
      shownBy: [
        { file: modelTests, test: 'M2: a listing decides over its provider' },
        { file: modelTests, test: 'M2: an outage takes nothing' },
        { file: modelTests, test: 'M2: an empty listing' },
        { file: listerTests, test: 'M2: lists all models' },
      ],
    },
    {
      id: 'M3',
      shownBy: [
        { file: modelTests, test: 'M3: a deprecated name' },
        { file: modelTests, test: 'M3: an unknown model is named' },
        { file: modelTests, test: 'M2: an outage takes nothing' },
      ],
    },
    {
      id: 'M4',
      shownBy: [
        { file: modelTests, test: 'M4: all at once' },
        { file: modelTests, test: 'M4: while it waits' },
        { file: modelTests, test: 'M4: a listing is kept on disk' },
        { file: listerTests, test: 'M4: leaves no connection open' },
      ],
    },
    {
      id: 'C1',
      shownBy: [
        { file: settingsTests, test: 'C1: explicit beats environment' },
        { file: settingsTests, test: 'C1: %s is accepted by both' },
      ],
    },
    {
      id: 'C2',
      shownBy: [
        { file: settingsTests, test: 'C2: %j is refused by name' },
        { file: settingsTests, test: 'C2: all faults are named' },
      ],
    },
    {
      id: 'C3',
      shownBy: [
        { file: secretTests, test: 'C3: not in %s' },
        { file: secretTests, test: 'C3: a secret is taken out' },
        { file: secretTests, test: 'C3: URLs lose user info' },
        { file: listerTests, test: 'C3: no error shows the key' },
        { file: callTests, test: 'C3: no error shows the key' },
      ],
    },
    {
      id: 'C4',
      shownBy: [
        { file: settingsTests, test: 'C4: a variable in a file is filled in' },
        { file: settingsTests, test: 'C4: %s has no value' },
        { file: settingsTests, test: 'C4: a base URL in the wrong place' },
        { file: creationTests, test: 'C4: without a base URL another provider' },
      ],
    },
    {
      id: 'I1',
      shownBy: [
        { file: sessionTests, test: 'I1: %s goes to the user that it names' },
        { file: sessionTests, test: 'I1: a turn belongs to the triple' },
        { file: sessionTests, test: 'I1: onSessionEnd reads the conversation' },
      ],
    },
    {
      id: 'I2',
      shownBy: [{ file: sessionTests, test: 'I2: a backend from before users' }],
    },
    {
      id: 'I3',
      shownBy: [
        { file: sessionTests, test: 'I3: turns that wait' },
        { file: sessionTests, test: 'I3: a sub-agent works in its own' },
        { file: admissionTests, test: 'I3: a turn inside a turn' },
      ],
    },
    {
      id: 'I4',
      shownBy: [
        { file: sessionTests, test: 'I4: %s throws SessionsUnsupportedError' },
        { file: sessionTests, test: 'I4: it keeps none by default' },
      ],
    },
    {
      id: 'L1',
      shownBy: [
        { file: admissionTests, test: 'L1: turns run in the order of the calls' },
        { file: admissionTests, test: 'L1: a hundred calls at once' },
        { file: admissionTests, test: 'L1: a surface that looks first' },
        { file: admissionTests, test: 'L1: %s throws NestedTurnError' },
        { file: admissionTests, test: 'L1: an event, a start and a close' },
        { file: lifecycleTests, test: 'L1: a cleanup, a reinitialisation and a start' },
        { file: jobDeliveryTests, test: 'L1: it enters through admission' },
      ],
    },
    {
      id: 'L2',
      shownBy: [
        { file: admissionTests, test: 'L2: no cleanup, wherever it comes' },
        { file: admissionTests, test: 'L2: a turn that is asked for while' },
        { file: admissionTests, test: 'L2: a cleanup in each microtask' },
        { file: admissionTests, test: 'L2: a turn whose backend is released' },
      ],
    },
    {
      id: 'L3',
      shownBy: [
        { file: lifecycleTests, test: 'L3: a cancelled start releases' },
        { file: lifecycleTests, test: 'L3: whoever cancels a start' },
        { file: lifecycleTests, test: 'L3: a start that throws midway' },
        { file: ownedTests, test: 'L3: what throws releases' },
        { file: ownedTests, test: 'L3: of two that open at once' },
      ],
    },
    {
      id: 'L4',
      shownBy: [
        { file: lifecycleTests, test: 'L4: it waits for the close' },
        { file: lifecycleTests, test: 'L4: a close that fails' },
        { file: ownedTests, test: 'L4: close awaits all' },
      ],
    },
    {
      id: 'L5',
      shownBy: [
        { file: lifecycleTests, test: 'L5: a failed one keeps the manager' },
        { file: lifecycleTests, test: 'L5: after a failed one the next turn' },
        { file: lifecycleTests, test: 'L5: one that is cancelled at any point' },
      ],
    },
    {
      id: 'L6',
      shownBy: [
        { file: questionTests, test: 'L6: each turn asks its own' },
        { file: questionTests, test: 'L6: a turn without a person' },
        { file: questionTests, test: 'L6: a turn inside a turn' },
      ],
    },
    {
      id: 'L7',
      shownBy: [
        { file: controllerTests, test: 'L7: it is derived from what there is' },
        { file: controllerTests, test: 'L7: they are serialised' },
        { file: controllerTests, test: 'L7: whenever it comes, it publishes nothing' },
        { file: controllerTests, test: 'L7: a caller that is cancelled' },
        { file: controllerTests, test: 'L7: the construction does not see' },
        { file: controllerTests, test: 'L7: a cancelled caller can not abandon' },
        { file: controllerTests, test: 'L7: initError is cleared' },
      ],
    },
    { id: 'L8', open: 'AG-2: the results of calls in the history of a cancelled turn' },
    {
      id: 'R1',
      shownBy: [
        { file: resultTests, test: 'R1: the source of a turn that %s' },
        { file: resultTests, test: 'R1: a rate limit fails' },
      ],
    },
    {
      id: 'R2',
      shownBy: [
        { file: resultTests, test: 'R2: a turn that completes' },
        { file: resultTests, test: 'R2: a stream that %s' },
        { file: resultTests, test: 'R2: a backend that can not be made ready' },
        { file: cancelTests, test: 'L8: a cancelled turn that %s' },
      ],
    },
    {
      id: 'R3',
      shownBy: [
        { file: resultTests, test: 'R3: a recoverable one' },
        { file: resultTests, test: 'R3: any other is shown' },
      ],
    },
    {
      id: 'R4',
      shownBy: [
        { file: questionTests, test: 'R4: on cancel the engine is cancelled and awaited' },
        { file: questionTests, test: 'R4: after the answer %s' },
        { file: questionTests, test: 'R4: after a cancel, before or after' },
      ],
    },
    {
      id: 'R5',
      shownBy: [
        { file: sessionTests, test: 'R5: they are computed before' },
        { file: sessionTests, test: 'R5: a session call that is under way' },
      ],
    },
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
