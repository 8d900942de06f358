// A server of the official package, which speaks both eras.
import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { addTools } from './tools.ts';

serveStdio(
  () =>
    addTools(
      new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } }),
    ),
  process.argv.includes('--new-only') ? { legacy: 'reject' } : {},
);
