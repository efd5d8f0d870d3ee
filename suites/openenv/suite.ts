import type { CaseResult, Suite } from '../suite.js';
import { caseOf } from '../cases.js';
import { outputOf } from '../programs.js';
import { python, sources, withEachServed } from './served.js';

interface Report {
  criteria: { id: string; passed: boolean; details?: string; actual?: unknown }[];
}

const suite: Suite = {
  title: "OpenEnv's validation",
  against: '`serve_env task.protocol=openenv`',
  sources,
  inCheck: false,
  notes:
    '`openenv validate URL` of each environment that needs neither files nor a server of others; a case is one criterion.',
  run: async ({ folders, work, log }) => {
    const { program, variables } = python(folders);
    const cases: CaseResult[] = [];
    await withEachServed(async (name, url) => {
      const text = await outputOf([program, '-m', 'openenv.cli', 'validate', url, '--timeout', '60'], work, variables);
      const { criteria } = JSON.parse(text) as Report;
      for (const { id, passed, details, actual } of criteria)
        cases.push(caseOf(`${name}: ${id}`, passed ? null : (details ?? JSON.stringify(actual ?? null))));
      log(`${name}: ${criteria.length} criteria`);
    });
    return cases;
  },
};
export default suite;
