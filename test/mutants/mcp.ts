import type { Mutant } from './mutant.ts';

const source = 'packages/runtime/src/toolsets/mcp';
const tests = 'packages/runtime/test/mcp';
const schema = `${source}/argument-schema.ts`;
const admission = `${source}/admit-tools.ts`;
const toolset = `${source}/mcp-toolset.ts`;
const connection = `${source}/connection.ts`;
const child = `${source}/child-transport.ts`;
const listTest = `${tests}/lists.test.ts`;
const failureTest = `${tests}/failures.test.ts`;
const serverTest = `${tests}/servers.test.ts`;
const httpTest = `${tests}/http.test.ts`;
const loginTest = `${tests}/login.test.ts`;
const teamTest = `${tests}/team.test.ts`;

/** Of the toolsets of MCP servers. */
export const mcpMutants: readonly Mutant[] = [
  {
    name: 'a tool whose arguments are no object is offered',
    file: schema,
    find: '  if (!mayBeObject(schema))',
    replace: '  if (false)',
    killedBy: { file: listTest, test: 'five of six are offered' },
  },
  {
    name: 'a schema of several forms goes to the provider as it is',
    file: schema,
    find: '  return isFitAtTop(schema) ? form',
    replace: '  return true ? form',
    killedBy: { file: listTest, test: 'a tool of several forms is told as one property' },
  },
  {
    name: 'a reference may lead to nothing',
    file: schema,
    find: '  if (lost !== undefined)',
    replace: '  if (false)',
    killedBy: { file: listTest, test: 'one that refers to what is not there' },
  },
  {
    name: 'what is wrapped loses its definitions',
    file: schema,
    find: '    ...($defs !== undefined && { $defs }),\n',
    replace: '',
    killedBy: { file: listTest, test: 'what is wrapped keeps its definitions' },
  },
  {
    name: 'a schema may be as large as it likes',
    file: schema,
    find: '  if (size > maxSchemaBytes) {',
    replace: '  if (false) {',
    killedBy: { file: listTest, test: 'a schema of 200 kB is left out' },
  },
  {
    name: 'what hides in a description stays in it',
    file: admission,
    find: ".replaceAll(hidden, '')",
    replace: '',
    killedBy: { file: listTest, test: 'what hides in a description is taken out' },
  },
  {
    name: "a server's flag of deferral is passed over in silence",
    file: admission,
    find: '      if (read.asksForDeferral) problems',
    replace: '      if (false) problems',
    killedBy: { file: listTest, test: 'case 29' },
  },
  {
    name: 'one page of a list is all of it',
    file: `${source}/list-tools.ts`,
    find: '    cursor = listed.nextCursor ?? undefined;',
    replace: '    cursor = undefined;',
    killedBy: { file: listTest, test: 'all pages are read' },
  },
  {
    name: 'a tool that is no longer listed is called',
    file: toolset,
    find: '    if (admitted === undefined) throw callFailed(',
    replace: "    if (admitted === undefined) return 'called'; if (admitted === undefined) throw callFailed(",
    killedBy: { file: listTest, test: 'a tool that the server no longer lists' },
  },
  {
    name: 'a dead server takes its tools with it',
    file: toolset,
    find: '    tools: () => offers.current().tools,',
    replace: '    tools: () => (life.connection() === undefined ? [] : offers.current().tools),',
    killedBy: { file: failureTest, test: 'exit-on-call: the call fails within a second' },
  },
  {
    name: 'nobody is told of the end of a program',
    file: child,
    find: '    transport.onclose?.();\n',
    replace: '',
    killedBy: { file: failureTest, test: 'exit-on-call: the call fails within a second' },
  },
  {
    name: 'what a server started outlives it',
    file: child,
    find: '    if (child.pid !== undefined) program.killGroup(child.pid);\n',
    replace: '    if (child.pid !== undefined) child.kill();\n',
    killedBy: { file: failureTest, test: 'closing ends what the server had started too' },
  },
  {
    name: 'an answer of no form is waited for until the time is out',
    file: `${source}/read-message.ts`,
    find: '    if (id === undefined) return undefined;',
    replace: '    return undefined;',
    killedBy: { file: failureTest, test: 'null as an answer fails the call at once' },
  },
  {
    name: 'a cancelled call goes on',
    file: connection,
    find: '{ signal, timeout: timeoutMs,',
    replace: '{ timeout: timeoutMs,',
    killedBy: { file: failureTest, test: 'a cancelled turn ends the call at once' },
  },
  {
    name: 'the waits before restarts do not grow',
    file: `${source}/backoff.ts`,
    find: 'firstMs * 2 ** (restart - 1)',
    replace: 'firstMs',
    killedBy: { file: failureTest, test: 'RT2: restarts wait twice as long each time' },
  },
  {
    name: 'a server that was up for long has no more restarts than one that never was',
    file: `${source}/server-life.ts`,
    find: 'inRow = upMs >= steadyMs ? 1 : inRow + 1;',
    replace: 'inRow += 1;',
    killedBy: { file: failureTest, test: 'a server that was up for a minute begins anew' },
  },
  {
    name: 'a folder that is not trusted starts its servers',
    file: toolset,
    find: '      if (!options.isProjectTrusted()) throw untrusted();\n',
    replace: '',
    killedBy: { file: failureTest, test: 'P4: nothing is started for a folder' },
  },
  {
    name: 'what a program says at its end is told as it is',
    file: `${source}/voice.ts`,
    find: 'redact(text, secrets)',
    replace: 'text',
    killedBy: { file: failureTest, test: 'C3: what a program says at its end' },
  },
  {
    name: 'a server gets the whole environment',
    file: `${source}/server-config.ts`,
    find: '...scrubEnvironment(surroundings.host.environment, [])',
    replace: '...(surroundings.host.environment as Record<string, string>)',
    killedBy: { file: serverTest, test: 'env: ["TOKEN"]' },
  },
  {
    name: 'a program that ends at a question of the newer era is given up',
    file: connection,
    find: '  if (openOld === undefined) return isNegotiationFailure(error) ? open() : undefined;',
    replace: '  if (openOld === undefined) return undefined;',
    killedBy: { file: serverTest, test: 'RT2: a program that speaks the older one, and ends' },
  },
  {
    name: 'nobody listens for changed lists',
    file: `${source}/open-server.ts`,
    find: '    options.onListChanged();\n',
    replace: '',
    killedBy: { file: serverTest, test: 'RT2: old-era: a tool that comes in mid-session' },
  },
  {
    name: 'a call that needs a person counts as done',
    file: `${source}/tool-result.ts`,
    find: '  if (isInputRequiredResult(result)) throw needsPerson();\n',
    replace: "  if (isInputRequiredResult(result)) return '';\n",
    killedBy: { file: serverTest, test: 'hostile: a call that needs a person' },
  },
  {
    name: 'a stream of changes that breaks off is the last one',
    file: `${source}/keep-listening.ts`,
    find: "'local' || signal.aborted) return;",
    replace: "'local' || true) return;",
    killedBy: { file: httpTest, test: 'a stream of changes that breaks off' },
  },
  {
    name: 'a session that the server forgot stays forgotten',
    file: toolset,
    find: '      if (isLost(error)) {',
    replace: '      if (false) {',
    killedBy: { file: httpTest, test: 'a server that forgot the session' },
  },
  {
    name: 'a call outlives the stream of its answer',
    file: `${source}/answer-streams.ts`,
    find: '    if (!isTakenUp) ended();',
    replace: '    if (isTakenUp) ended();',
    killedBy: { file: httpTest, test: 'a call in flight fails within a second: in the middle' },
  },
  {
    name: 'the login of one is used for all',
    file: `${source}/oauth/open-login.ts`,
    find: '      if (caller === user || !tokens.isUsed()) return;',
    replace: '      if (caller !== undefined) return;',
    killedBy: { file: loginTest, test: 'case 137: nobody calls a server with the login' },
  },
  {
    name: 'each process renews for itself',
    file: `${source}/oauth/stored-login.ts`,
    find: ') return undefined; // renewed since',
    replace: ') login = { ...login };',
    killedBy: { file: loginTest, test: 'case 137: tokens that are over are renewed once' },
  },
  {
    name: 'any browser ends a login',
    file: `${source}/oauth/login.ts`,
    find: " || searchParams.get('state') !== state",
    replace: '',
    killedBy: { file: loginTest, test: 'a callback with another state changes nothing' },
  },
  {
    name: 'everybody reads the tokens',
    file: `${source}/oauth/file-login-store.ts`,
    find: "{ mode: 0o600, flag: 'wx' }",
    replace: "{ flag: 'wx' }",
    killedBy: { file: loginTest, test: 'C3: what is kept of a login' },
  },
  {
    name: 'a model is told of what is denied',
    file: 'packages/runtime/src/agents/is-offered.ts',
    find: ".type !== 'deny'",
    replace: ".type !== 'never'",
    killedBy: { file: teamTest, test: 'case 95' },
  },
  {
    name: 'what comes late is never told',
    file: 'packages/runtime/src/team/team.ts',
    find: '    lateTools: (agent) => servers.toolsOf(agent, { isDeferred: false }),\n',
    replace: '',
    killedBy: { file: teamTest, test: 'RT2: a server that comes up late' },
  },
  {
    name: 'a variable of a server may be unset',
    file: 'packages/runtime/src/agent-file/check-templates.ts',
    find: '      fault(path,',
    replace: '      if (env === undefined) fault(path,',
    killedBy: { file: 'packages/runtime/test/agent-file.test.ts', test: '"    command: a' },
  },
];
