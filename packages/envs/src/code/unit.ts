import { defineEnvironment } from '../define-environment.js';
import { taskMembers } from '../task-units.js';
import { resetSchemaWith, type EnvProblem } from '../unit.js';
import { CodeEnv } from './code-env.js';
import { codeSchema, type CodeOptions } from './options.js';
import { solutionReply } from './program.js';
import { codeTasks } from './task-file.js';

const make = (options: CodeOptions) => new CodeEnv(options);

export const codeUnit = defineEnvironment<CodeOptions>({
  name: 'code',
  description: 'Programs in JavaScript or TypeScript that are tested in a sandbox, as in HumanEval.',
  schema: codeSchema,
  resetSchema: resetSchemaWith({
    task: { description: 'Number of the task in the file, from 0.', type: 'integer', minimum: 0 },
  }),
  make,
  ...taskMembers({
    tasks: codeTasks,
    reset: (task, tasks) => ({ task: tasks.indexOf(task) }),
    isShown: ({ solution }) => solution !== null,
    make,
    unshown: ({ data }) => `no training task of ${data} has a solution to imitate`,
  }),
  evaluation: { taskType: ({ kind }) => kind as string | null },
  sampleActions: ['```js\nconst add = (a, b) => a + b;\n```', 'function f( {', 'return 1;\n}', ''],
  critic: { typicalReturn: () => 0.3 },
  config: { problems: completionProblems },
  tokens: {
    vocabulary: (options) => [
      options.instruction,
      ...codeTasks(options).flatMap((task) => [task.prompt, solutionReply(task, options) ?? '']),
    ],
  },
});

function completionProblems(options: CodeOptions): EnvProblem[] {
  if (options.reply !== 'completion') return [];
  const task = codeTasks(options).find(({ head }) => head === null);
  if (task === undefined) return [];
  return [
    {
      key: 'env.reply',
      message: `env.reply: the prompt of the task '${task.id}' is a text, which no completion can continue`,
      remedy: 'write env.reply=program',
    },
  ];
}
