import { createRequire } from 'node:module';
import { defineEnvironment } from '../define-environment.js';
import { taskDemonstrations } from '../played-demonstrations.js';
import { listedSplits } from '../splits.js';
import { noOptions, resetSchemaWith, type EnvProblem } from '../unit.js';
import { HarborEnv, inBlock } from './harbor-env.js';
import { harborSchema, type HarborOptions } from './options.js';
import { harborFiles, harborTasks, type HarborTask } from './task-folder.js';

const planOf = (items: readonly HarborTask[], where?: (task: HarborTask) => boolean) =>
  listedSplits<HarborTask>({
    noun: 'tasks',
    items,
    reset: ({ id }) => ({ task: id }),
    id: ({ id }) => id,
    ...(where && { where }),
  });

const isSolved = ({ solution }: HarborTask) => solution !== null;

export const harborUnit = defineEnvironment<HarborOptions>({
  name: 'harbor',
  description: "Tasks in Harbor's folders, solved by the commands of a shell that needs no container.",
  schema: harborSchema,
  resetSchema: resetSchemaWith({
    task: { description: "Name of the task's folder, instead of one drawn by the seed.", type: 'string' },
  }),
  make: (options) => new HarborEnv(options),
  splits: (options) => planOf(harborTasks(options)),
  evaluation: { taskType: ({ kind }) => (kind as string | null | undefined) ?? null },
  context: () => ({ observation: 'turn', kind: 'dialogue', parts: ['taskDescription'] }),
  sampleActions: ['ls', '```bash\ncat *.txt\n```', '```bash\nsubmit\n```', 'if ['],
  critic: { typicalReturn: () => 0.3 },
  config: { problems: () => missingShell() },
  hasExpert: (options) => harborTasks(options).some(isSolved),
  demonstrations: {
    schema: noOptions,
    make: (options, request) =>
      taskDemonstrations(new HarborEnv(options), planOf(harborTasks(options), isSolved), request),
    problem: (options) =>
      harborTasks(options).some(isSolved) ? null : `no task of ${options.tasks} has a solution/solve.sh alone`,
    files: harborFiles,
    independentOf: ['commandMs', 'verifierMs', 'memoryMb'],
  },
  tokens: {
    vocabulary: (options) => [
      options.instruction,
      inBlock('submit'),
      ...harborTasks(options).flatMap(({ instruction, solution }) => [instruction, solution ?? '']),
    ],
  },
});

/** Returns a problem if just-bash is not installed. This package does not depend on it, since it has 89 MB. */
function missingShell(): EnvProblem[] {
  try {
    createRequire(import.meta.url).resolve('just-bash');
    return [];
  } catch {
    const message = 'env.name=harbor plays in the shell of just-bash, which is not installed';
    return [{ key: 'env.name', message, remedy: 'npm install just-bash@3.4.2' }];
  }
}
