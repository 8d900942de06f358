import type { Proof, Requirement } from '../../test/requirements/requirement.ts';
import { testNamesIn } from './test-names.ts';

/** Reads a file of the repository, named from its root; `undefined` where there is none. */
export type ReadSource = (path: string) => string | undefined;

const testFile = /\.(?:test|long|clients)\.ts$/;

/** What is wrong with a list of requirements, a sentence each: ids that come twice, proofs that are not there. */
export function findFaults(requirements: readonly Requirement[], readSource: ReadSource): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  const findProofFault = createProofCheck(readSource);
  for (const requirement of requirements) {
    const found = [findEntryFault(requirement)];
    if (seen.has(requirement.id)) found.push('is listed twice');
    seen.add(requirement.id);
    if ('shownBy' in requirement) found.push(...requirement.shownBy.map(findProofFault));
    faults.push(...found.flatMap((fault) => (fault === undefined ? [] : [`${requirement.id} ${fault}`])));
  }
  return faults;
}

/** What the type lets pass: both answers at once, or one that says nothing. */
function findEntryFault(requirement: Requirement): string | undefined {
  if ('shownBy' in requirement) {
    if ('open' in requirement) return 'is both shown and open';
    return requirement.shownBy.length === 0 ? 'is shown by nothing; say why it is open' : undefined;
  }
  return requirement.open.trim() === '' ? 'is open without a reason' : undefined;
}

function createProofCheck(readSource: ReadSource): (proof: Proof) => string | undefined {
  const namesByFile = new Map<string, readonly string[]>();
  const findTestFault = (file: string, test: string): string | undefined => {
    if (!testFile.test(file)) return `is shown by ${file}, which no run of the tests takes up`;
    const source = readSource(file);
    if (source === undefined) return `is shown by ${file}, which does not exist`;
    const names = namesByFile.get(file) ?? testNamesIn(source);
    namesByFile.set(file, names);
    const isThere = test.trim() !== '' && names.some((name) => name.startsWith(test));
    return isThere ? undefined : `is shown by "${test}", which names no test in ${file}`;
  };
  return (proof) => {
    if ('file' in proof) return findTestFault(proof.file, proof.test);
    const source = readSource(proof.bench);
    if (source === undefined) return `is shown by ${proof.bench}, which does not exist`;
    const isThere = proof.row.trim() !== '' && source.includes(proof.row);
    return isThere ? undefined : `is shown by the row "${proof.row}", which ${proof.bench} does not have`;
  };
}
