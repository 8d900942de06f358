// Writes docs/api: every public name of a package with its declaration, so that a change of it shows in review.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatApi, reportedPackages } from './api/format-api.ts';

const root = path.dirname(import.meta.dirname);

for (const name of reportedPackages) {
  writeFileSync(path.join(root, 'docs', 'api', `${name}.txt`), formatApi(root, name));
}
