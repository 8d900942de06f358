// A server by hand, which misbehaves as its first argument says; the second one is its list of tools, as JSON.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [mode = '', list = '[{"name":"act","inputSchema":{"type":"object"}}]'] = process.argv.slice(2);
let tools: unknown = JSON.parse(list);
let afterNextList: () => unknown = () => undefined;

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

const write = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

/** Shows a test something that it can wait for. */
function showTool(name: string): void {
  tools = [{ name, inputSchema: { type: 'object' } }];
  write({ method: 'notifications/tools/list_changed' });
}

function answerCall({ id, params }: Request): void {
  switch (mode) {
    case 'exit-on-call':
      process.exit(7);
      break;
    case 'leave-on-call':
      process.exit(0);
      break;
    case 'close-pipe-on-call':
      process.stdout.end();
      break;
    case 'silent':
      showTool('arrived');
      break;
    case 'environment':
      write({ id, result: text(JSON.stringify(process.env)) });
      break;
    case 'null':
      process.stdout.write('null\n');
      write({ id, result: null });
      break;
    case 'half-line':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`);
      break;
    case 'odd-result':
      write({ id, result: { content: [{ type: 'hologram' }] } });
      break;
    case 'change-first':
      tools = JSON.parse(process.argv[4] ?? '[]');
      write({ method: 'notifications/tools/list_changed' });
      afterNextList = () => write({ id, result: text('changed') });
      break;
    case 'change':
      tools = JSON.parse(process.argv[4] ?? '[]');
      write({ method: 'notifications/tools/list_changed' });
      write({ id, result: text('changed') });
      break;
    default:
      write({ id, result: text(`${JSON.stringify(params?.arguments ?? null)}`) });
  }
}

function listPage({ id, params }: Request): void {
  if (mode === 'broken-list') return void write({ id, result: { tools: 'none' } });
  if (mode === 'same-cursor') return void write({ id, result: { tools, nextCursor: 'again' } });
  if (mode !== 'pages') {
    write({ id, result: { tools } });
    afterNextList();
    return;
  }
  const page = Number(params?.cursor ?? 0);
  const names = Array.from({ length: 100 }, (_, index) => `tool_${page * 100 + index}`);
  const listed = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
  write({ id, result: { tools: listed, ...(page < 29 && { nextCursor: String(page + 1) }) } });
}

/** Of the newer era, and it asks whoever did not say that they can be asked. */
function answerInNewEra({ id, method }: Request): void {
  const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const inputRequests = { name: { method: 'elicitation/create', params: { message: 'Your name?' } } };
  if (method === 'server/discover') {
    write({ id, result: { ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } });
  } else if (method === 'tools/list') write({ id, result: { ...cached, tools } });
  else if (id !== undefined) write({ id, result: { resultType: 'input_required', inputRequests } });
}

function answer(request: Request): void {
  const { id, method } = request;
  if (mode === 'asks-anyway' && method !== 'notifications/cancelled') answerInNewEra(request);
  else if (method === 'initialize') {
    if (mode === 'never-ready') return;
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 'hostile', version: '1' };
    write({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  } else if (method === 'tools/list') listPage(request);
  else if (method === 'tools/call') answerCall(request);
  else if (method === 'notifications/cancelled') showTool('cancelled');
  else if (id !== undefined) {
    if (mode === 'exit-on-question') process.exit(1);
    if (mode !== 'never-ready') write({ id, error: { code: -32_601, message: 'Method not found' } });
  }
}

if (mode === 'exit-at-start') {
  process.stderr.write(`can not go on with ${process.env['TOKEN']}\n`);
  process.exit(2);
}
if (mode === 'garbage') {
  process.stdout.write('Server is listening...\n{"half": \n[1,2]\n');
  process.stderr.write('x'.repeat(200_000));
}
if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
if (mode === 'with-child') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  process.stderr.write(`child ${child.pid}\n`);
  tools = [{ name: `child-${child.pid}`, inputSchema: { type: 'object' } }];
}
createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line) as Request));
