import { listedHistory } from '../context/context-options.js';
import { defineEnvironment } from '../define-environment.js';
import { numberedItems } from '../task-units.js';
import { resetSchemaWith } from '../unit.js';
import { questionsSchema, type QuestionsOptions } from './options.js';
import { questionsOf, QuestionsEnv } from './questions.js';
import { questionsReport } from './report.js';

export const questionsUnit = defineEnvironment<QuestionsOptions>({
  name: 'questions',
  description: 'Answer the questions of a file: GSM8K, MMLU and sets like them.',
  rules: () =>
    'An action is the answer to the question, of choices the letter or text of one. The right answer gives 1.',
  schema: questionsSchema,
  resetSchema: resetSchemaWith({
    split: { description: 'Questions of this split alone.', type: 'string', enum: ['train', 'eval', 'test'] },
    number: { description: 'Number of the question in its split, from 0.', type: 'integer', minimum: 0 },
  }),
  make: (options) => new QuestionsEnv(options),
  splits: (options) => numberedItems('questions', questionsOf(options), 'number'),
  evaluation: { taskType: ({ subject }) => subject as string | null, report: questionsReport },
  sampleActions: ['A', 'The answer is B.', '#### 12', '1,000', 'yes', ''],
  context: () => listedHistory,
  // The mean return at the beginning of training; an episode returns 1 for a right answer and 0 otherwise.
  critic: { typicalReturn: () => 0.3 },
  config: {
    problems: (options) =>
      options.shots === 0 || questionsOf(options).train.length > 0
        ? []
        : [
            {
              key: 'env.shots',
              message: `env.shots=${options.shots}: there are no training questions to show`,
              remedy: 'write env.train_data=FILE, or env.shots=0',
            },
          ],
  },
  tokens: {
    spells: 'digits',
    vocabulary: (options) => {
      const questions = Object.values(questionsOf(options)).flat();
      const texts = questions.flatMap(({ question, answer, choices }) => [question, answer, ...(choices?.texts ?? [])]);
      return [
        options.instruction,
        options.questionPrefix,
        options.answerPrefix,
        'A. B. C. D. E.',
        '0 1 2 3 4 5 6 7 8 9',
        ...texts,
      ];
    },
  },
});
