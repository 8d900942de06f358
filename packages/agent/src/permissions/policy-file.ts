import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { AgentError } from '../agent-error.ts';
import { nearestNames } from '../nearest-names.ts';
import { answerKeys, policyRuleSchema, policySchema } from './policy-schema.ts';
import type { PermissionRule, RuleSource } from './rule.ts';

/** The text of a policy file, and whose it is. */
export interface PolicyFile {
  /** How its name is shown. */
  readonly file: string;
  /** YAML. */
  readonly text: string;
  readonly source: Exclude<RuleSource, 'session'>;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Reading {
  readonly file: string;
  readonly document: Document.Parsed;
  /** Of an offset in the text, from 1. */
  readonly lineAt: (offset: number) => number;
}

/** The rules of a policy file, with their places. Throws `POLICY_INVALID` that names every fault by file and line (P4). */
export function parsePolicy({ file, text, source }: PolicyFile): readonly PermissionRule[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const reading: Reading = { file, document, lineAt: (offset) => lines.linePos(offset).line };
  const broken = document.errors.map(({ pos, message }) => `${file}:${reading.lineAt(pos[0])}: ${message}`);
  if (broken.length > 0) throw invalid(broken);
  const parsed = policySchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) throw invalid(parsed.error.issues.flatMap((issue) => describeIssue(reading, issue)));
  const faults: string[] = [];
  const rules = parsed.data.rules.flatMap((entry, index): readonly PermissionRule[] => {
    const place = { file, line: lineOf(reading, ['rules', index]) };
    const [answer, ...more] = answerKeys.filter((key) => entry[key] !== undefined);
    const capability = answer && entry[answer];
    if (answer === undefined || capability === undefined || more.length > 0) {
      faults.push(`${file}:${place.line}: expected exactly one of allow, ask and deny in a rule.`);
      return [];
    }
    const because = entry.because === undefined ? {} : { because: entry.because };
    return [{ answer, capability, target: entry.target, source, place, ...because }];
  });
  if (faults.length > 0) throw invalid(faults);
  return rules;
}

function describeIssue(reading: Reading, issue: Issue): readonly string[] {
  if (issue.code !== 'unrecognized_keys') {
    return [`${reading.file}:${lineOf(reading, issue.path)}: ${[...issue.path, issue.message].join(': ')}.`];
  }
  const known = Object.keys(issue.path.length === 0 ? policySchema.shape : policyRuleSchema.shape);
  return issue.keys.map((key) => {
    const [nearest] = nearestNames(key, known);
    const advice = nearest === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${nearest}?`;
    return `${reading.file}:${lineOfKey(reading, issue.path, key)}: unknown key "${key}". ${advice}`;
  });
}

/** The line of the value at `path`. */
function lineOf({ document, lineAt }: Reading, path: Path): number {
  const node: unknown = document.getIn(path, true);
  return isNode(node) && node.range ? lineAt(node.range[0]) : 1;
}

function lineOfKey(reading: Reading, path: Path, key: string): number {
  const { document, lineAt } = reading;
  const map: unknown = document.getIn(path, true);
  const pair = isMap(map)
    ? map.items.find(({ key: name }) => isScalar(name) && name.value === key)
    : undefined;
  return isScalar(pair?.key) && pair.key.range ? lineAt(pair.key.range[0]) : lineOf(reading, path);
}

function invalid(faults: readonly string[]): AgentError {
  return new AgentError('POLICY_INVALID', faults.join('\n'));
}
