import { statSync } from 'node:fs';
import { defineEnvironment } from '../define-environment.js';
import { noOptions, resetSchemaWith, type EnvProblem } from '../unit.js';
import { taskDemonstrations } from '../played-demonstrations.js';
import { numberedTasks } from '../task-lines.js';
import { verifiersSchema, type VerifiersOptions } from './options.js';
import { verifiersReport } from './report.js';
import { verifiersTasks } from './task-file.js';
import { promptText, type VerifiersTask } from './task.js';
import { VerifiersEnv } from './verifiers.js';

const isShown = ({ completion }: VerifiersTask) => completion.length > 0;

export const verifiersUnit = defineEnvironment<VerifiersOptions>({
  name: 'verifiers',
  description: 'Tasks of JSON lines (prompt, answer, info) with rewards in TypeScript, as verifiers has them.',
  schema: verifiersSchema,
  resetSchema: resetSchemaWith({
    task: { description: 'Number of the task in the file, from 0.', type: 'integer', minimum: 0 },
  }),
  make: (options) => new VerifiersEnv(options),
  splits: (options) => numberedTasks(verifiersTasks(options)),
  evaluation: { taskType: ({ kind }) => kind as string | null, report: verifiersReport },
  sampleActions: ['<answer>olleh</answer>', 'olleh', '12', '<answer>', ''],
  critic: { typicalReturn: () => 0.3 },
  config: { problems: ({ rewards }) => missingModule(rewards) },
  hasExpert: (options) => verifiersTasks(options).some(isShown),
  demonstrations: {
    schema: noOptions,
    make: (options, request) =>
      taskDemonstrations(new VerifiersEnv(options), numberedTasks(verifiersTasks(options), isShown), request),
    problem: (options) =>
      numberedTasks(verifiersTasks(options), isShown).count('train') === 0
        ? `no training task of ${options.data} has a completion to imitate`
        : null,
  },
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
