import process from 'node:process';
import { requirementPages } from './requirements/pages.ts';
import { formatReport } from './requirements/report.ts';

process.stdout.write(formatReport(requirementPages));
