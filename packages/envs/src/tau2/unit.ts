import { defineEnvironment } from '../define-environment.js';
import { writeReply } from '../mcp/replies.js';
import { chosenOracle, oracleOptionNames, oracleReadWith } from '../oracle.js';
import { taskDemonstrations } from '../played-demonstrations.js';
import { listedSplits } from '../splits.js';
import { noOptions, resetSchemaWith } from '../unit.js';
import { tau2Domain, tau2Files, type Tau2Task } from './domain-folder.js';
import { tau2Schema, type Tau2Options } from './options.js';
import { expertSteps, Tau2Env } from './tau2-env.js';
import { userPrompt } from './user.js';

const planOf = (options: Tau2Options) => {
  const { tasks, splits } = tau2Domain(options);
  return listedSplits<Tau2Task>({
    noun: 'tasks',
    items: splits ?? tasks,
    reset: ({ id }) => ({ task: id }),
    id: ({ id }) => id,
  });
};

export const tau2Unit = defineEnvironment<Tau2Options>({
  name: 'tau2',
  description: "Customers of a shop, served by its tools as its policy says: tau2-bench's retail domain.",
  schema: tau2Schema,
  resetSchema: resetSchemaWith({
    task: { description: 'Id of the task, instead of one drawn by the seed.', type: 'string' },
  }),
  make: (options, parts) => new Tau2Env(options, chosenOracle('tau2', options, parts)),
  hasExpert: () => true,
  splits: planOf,
  sampleActions: [
    '{"answer": "What is your email?"}',
    '{"name": "list_all_product_types", "arguments": {}}',
    '{"name": "get_order_details", "arguments": {"order_id": "#W0"}}',
    'hello',
    '',
    '{"answer": "Goodbye."}',
  ],
  // A solved task has the reward 1; 0.3 is a typical mean early in training.
  critic: { typicalReturn: () => 0.3 },
  config: { readWith: { oracleModel: { oracle: ['openai'] }, oracleUrl: oracleReadWith.oracleUrl } },
  oracles: { openai: userPrompt },
  demonstrations: {
    schema: noOptions,
    // The demonstrations use the scripted user, since the expert's questions are made for its answers.
    make: (options, request) => taskDemonstrations(new Tau2Env(options), planOf(options), request),
    files: tau2Files,
    independentOf: [...oracleOptionNames],
  },
  tokens: {
    vocabulary: (options) =>
      tau2Domain(options).tasks.flatMap((task) => [
        ...Object.values(task.scenario),
        ...expertSteps(task).map((step) => writeReply(step, options.callFormat)),
      ]),
  },
});
