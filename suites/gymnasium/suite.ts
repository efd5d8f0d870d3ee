import { join } from 'node:path';
import { python, sources, withEachServed } from '../openenv/served.js';
import { caseOf } from '../cases.js';
import { outputOf } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';

const suite: Suite = {
  title: "Gymnasium's checks",
  against: '`serve_env task.protocol=openenv`, wrapped as a `gymnasium.Env` by `check.py`',
  sources,
  inCheck: false,
  notes:
    "`check_env` and its parts, over OpenEnv's own Python client, of each environment that needs neither files nor a server of others; a warning counts as a failure.",
  run: async ({ folders, work, log }) => {
    const { program, variables } = python(folders);
    const cases: CaseResult[] = [];
    await withEachServed(async (name, url) => {
      const text = await outputOf([program, join(import.meta.dirname, 'check.py'), url], work, variables);
      for (const [check, fault] of Object.entries(JSON.parse(text) as Record<string, string | null>))
        cases.push(caseOf(`${name}: ${check}`, fault));
      log(`${name}: checked`);
    });
    return cases;
  },
};
export default suite;
