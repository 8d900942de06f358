import { expect, test } from 'vitest';
import { formatGreeting } from '../src/commands/greeting.ts';
import { loadConfig } from '../src/config/load-config.ts';

function greet(env: Record<string, string>): string {
  const loaded = loadConfig({ env, cwd: '/work', home: '/home/ada', flags: [], readFile: () => undefined });
  return formatGreeting({ url: 'http://127.0.0.1:4000', pid: 1, store: null, preset: 'observe' }, loaded);
}

test('the greeting prints the lines that point a client at the gateway', () => {
  const text = greet({});
  expect(text).toContain('ANTHROPIC_BASE_URL=http://127.0.0.1:4000/anthropic claude');
  expect(text).toContain(`codex -c 'openai_base_url="http://127.0.0.1:4000/openai/v1"'`);
  expect(text).toContain('GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4000/gemini gemini');
  expect(text).not.toContain('requests go to');
});

test('case 131: an upstream that someone set is named with who set it, without its user info', () => {
  const text = greet({ QM_UPSTREAMS_OPENAI: 'http://u:pw-canary@h/pre/v1' });
  expect(text).toContain('openai requests go to http://…@h/pre (QM_UPSTREAMS_OPENAI)');
  expect(text).not.toContain('canary');
});
