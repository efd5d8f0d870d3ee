import { statSync } from 'node:fs';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { taskMembers } from '../task-units.js';
import { verifiersSchema, type VerifiersOptions } from './options.js';
import { verifiersReport } from './report.js';
import { verifiersTasks } from './task-file.js';
import { promptText } from './task.js';
import { VerifiersEnv } from './verifiers.js';

const make = (options: VerifiersOptions) => new VerifiersEnv(options);

export const verifiersUnit = defineEnvironment<VerifiersOptions>({
  name: 'verifiers',
  description: 'Tasks of JSON lines (prompt, answer, info) with rewards in TypeScript, as verifiers has them.',
  schema: verifiersSchema,
  resetSchema: resetSchemaWith({
    task: { description: 'Number of the task in the file, from 0.', type: 'integer', minimum: 0 },
  }),
  make,
  ...taskMembers({
    tasks: verifiersTasks,
    reset: (task, tasks) => ({ task: tasks.indexOf(task) }),
    isShown: ({ completion }) => completion.length > 0,
    make,
    unshown: ({ data }) => `no training task of ${data} has a completion to imitate`,
  }),
  evaluation: { taskType: ({ kind }) => kind as string | null, report: verifiersReport },
  sampleActions: ['<answer>olleh</answer>', 'olleh', '12', '<answer>', ''],
  critic: { typicalReturn: () => 0.3 },
  config: { problems: ({ rewards }) => missingModule(rewards) },
  tokens: {
    vocabulary: (options) => [
      options.instruction,
      ...options.fields.map((name) => `<${name}> </${name}>`),
      ...verifiersTasks(options).flatMap(({ prompt, completion }) => [promptText(prompt), ...completion]),
    ],
  },
});

function missingModule(path: string | null): EnvProblem[] {
  if (path === null) return [];
  const remedy = 'write env.rewards=FILE.ts, a module whose exported functions are the rewards';
  if (!/\.(?:m?[jt]s)$/.test(path))
    return [{ key: 'env.rewards', message: `env.rewards: '${path}' is no module (.ts, .mts, .js, .mjs)`, remedy }];
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
  return [{ key: 'env.rewards', message: `env.rewards: there is no file '${path}'`, remedy }];
}
