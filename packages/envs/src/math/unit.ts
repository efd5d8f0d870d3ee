import { fraction } from '@bowyer/core';
import { historyOffer } from '../context/context-options.js';
import { playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { mathDemonstrations, mathTexts, missingSolutions } from './demonstrations.js';
import { MathEnv } from './math.js';
import { mathSchema, type MathOptions } from './options.js';
import { mathReport } from './report.js';
import { mathSplits } from './splits.js';
import { options } from '../option.js';

const generated = { problems: [null] };

export const mathUnit = defineEnvironment<MathOptions, ExpertNoise>({
  name: 'math',
  description: 'Solve a problem in writing; the final answer is verified.',
  rules: () =>
    'An action is a whole solution in writing. It ends with the final answer as \\boxed{ANSWER}, which alone is judged: 1 if right, else 0.',
  schema: mathSchema,
  resetSchema: resetSchemaWith({
    split: { description: 'Problems of this split alone.', type: 'string', enum: ['train', 'eval', 'test'] },
    problem: { description: 'Number of the problem in its split of the file, from 0.', type: 'integer', minimum: 0 },
  }),
  make: (options) => new MathEnv(options),
  splits: mathSplits,
  evaluation: { taskType: ({ kind }) => kind as string | null, report: mathReport },
  sampleActions: ['1 + 1 = 2; \\boxed{2}', '12', '\\boxed{', 'I do not know', '9^9^9^9', ''],
  context: () => historyOffer,
  // An episode returns 1 for a right answer, else 0; 0.3 is a typical mean early in training, from which the critic starts.
  critic: { typicalReturn: () => 0.3 },
  config: { readWith: { kinds: generated, level: generated } },
  tokens: { vocabulary: mathTexts, spells: 'digits' },
  demonstrations: {
    schema: options({
      noise: fraction(0, 'Share of the attempts that state a wrong answer.'),
    }),
    make: async (options, request) => playedSet(await mathDemonstrations(options, playedOptions(request))),
    problem: missingSolutions,
  },
});
