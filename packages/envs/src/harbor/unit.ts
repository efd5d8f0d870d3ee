import { createRequire } from 'node:module';
import { defineEnvironment } from '../define-environment.js';
import { taskMembers } from '../task-units.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { HarborEnv, inBlock } from './harbor-env.js';
import { harborSchema, type HarborOptions } from './options.js';
import { harborFiles, harborTasks, type HarborTask } from './task-folder.js';

const make = (options: HarborOptions) => new HarborEnv(options);

export const harborUnit = defineEnvironment<HarborOptions>({
  name: 'harbor',
  description: "Tasks in Harbor's folders, solved by the commands of a shell that needs no container.",
  schema: harborSchema,
  resetSchema: resetSchemaWith({
    task: { description: "Name of the task's folder, instead of one drawn by the seed.", type: 'string' },
  }),
  make,
  ...taskMembers<HarborOptions, HarborTask>({
    tasks: harborTasks,
    reset: ({ id }) => ({ task: id }),
    isShown: ({ solution }) => solution !== null,
    make,
    unshown: ({ tasks }) => `no task of ${tasks} has a solution/solve.sh alone`,
    source: { files: harborFiles, independentOf: ['commandMs', 'verifierMs', 'memoryMb'] },
  }),
  evaluation: { taskType: ({ kind }) => (kind as string | null | undefined) ?? null },
  context: () => ({ observation: 'turn', kind: 'dialogue', parts: ['taskDescription'] }),
  sampleActions: ['ls', '```bash\ncat *.txt\n```', '```bash\nsubmit\n```', 'if ['],
  critic: { typicalReturn: () => 0.3 },
  config: { problems: () => missingShell() },
  tokens: {
    vocabulary: (options) => [
      options.instruction,
      inBlock('submit'),
      ...harborTasks(options).flatMap(({ instruction, solution }) => [instruction, solution ?? '']),
    ],
  },
});

/** Returns a problem if just-bash is not installed. It is not a dependency of this package because of its size of 89 MB. */
function missingShell(): EnvProblem[] {
  try {
    createRequire(import.meta.url).resolve('just-bash');
    return [];
  } catch {
    const message = 'env.name=harbor plays in the shell of just-bash, which is not installed';
    return [{ key: 'env.name', message, remedy: 'npm install just-bash@3.4.2' }];
  }
}
