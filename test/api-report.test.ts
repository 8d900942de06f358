import path from 'node:path';
import { expect, test } from 'vitest';
import { formatApi, reportedPackages } from '../tools/api/format-api.ts';
import { readText, root } from './tree.ts';

const reports = new Map(reportedPackages.map((name) => [name, formatApi(root, name)]));

test.each([...reports])('docs/api says what %s exports, as it is (npm run api)', (name, report) => {
  expect(report).toBe(readText(path.join('docs/api', `${name}.txt`)));
});

test('the report shows what was exported under another entry, a function’s type and a class’s members', () => {
  const entries = (reports.get('agent') ?? '').split(/^# /m);
  const entryOf = (name: string): string => entries.find((entry) => entry.startsWith(`${name}\n`)) ?? '';
  const rootEntry = entryOf('@quartermaster/agent');
  const engine = entryOf('@quartermaster/agent/engine');
  expect(rootEntry).toContain('export declare class AgentError extends Error {');
  expect(rootEntry).toContain('readonly code: AgentErrorCode;');
  expect(rootEntry).not.toMatch(/\/\*|\/\//);
  expect(engine).toContain('export declare function callTool(');
});
