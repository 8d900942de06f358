import process from 'node:process';
import { parseArgs } from 'node:util';
import { catalog } from '@quartermaster/catalog';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { compare, NotComparableError } from './accuracy/compare.ts';
import { formatComparison } from './accuracy/table.ts';
import { makeTasks } from './accuracy/tasks.ts';

// LE7: `npm run accuracy -- --tasks 40 [--model ID] [--seed N] [--json]` does the same tasks with deferral on and off.

const defaultModel = 'claude-sonnet-5-5';
const wrongUse = 2;

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '40' },
    model: { type: 'string', default: defaultModel },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const count = Number(values.tasks);
const model = catalog.find(values.model);
const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: base } = process.env;

if (!Number.isInteger(count) || count < 1 || count > 10_000) {
  refuse(`--tasks: expected a whole number from 1 to 10000, got ${values.tasks}.`);
} else if (model?.capabilities.toolSearch !== true) {
  refuse(`--model: expected a Claude model of the catalog that has tool search, got ${values.model}.`);
} else if (key === undefined && token === undefined) {
  refuse(
    'expected a key in ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN): this sends real requests, which cost money. ' +
      'Set one, and ANTHROPIC_BASE_URL if the requests go elsewhere than to api.anthropic.com.',
  );
} else {
  try {
    const comparison = await compare({
      tasks: makeTasks(count, Number(values.seed)),
      model,
      upstream: new URL(base ?? 'https://api.anthropic.com'),
      headers: key === undefined ? { authorization: `Bearer ${token}` } : { 'x-api-key': key },
      countTokens: (text) => countTokens(text, { disallowedSpecial: new Set() }),
      onTask: (done) => process.stderr.write(`\r${done} of ${count} tasks`),
    });
    process.stderr.write('\n');
    const facts = { model: model.id, seed: Number(values.seed), ...comparison };
    process.stdout.write(values.json ? `${JSON.stringify(facts, null, 2)}\n` : formatComparison(comparison));
  } catch (error) {
    if (!(error instanceof NotComparableError)) throw error;
    process.stderr.write(`accuracy: ${error.message}\n`);
    process.exitCode = 1;
  }
}

function refuse(message: string): void {
  process.stderr.write(`accuracy: ${message}\n`);
  process.exitCode = wrongUse;
}
