// Defines task=evaluate_agent, which measures a user's agent with one or more models, writes a report, and fails if the reward is
// below a required one.
import { defaulting, optionalText, unitOptions, type ConfigProblem } from '@bowyer/core';
import { modelProblem } from '../../agent/folders/model-folders.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { agentOptions, modelText, nodesOfAgents } from '../train-agent/agent-keys.js';
import { agentProblems } from '../train-agent/agent-problems.js';
import { endpointProblem, isEndpoint, unusedProblems } from './endpoints.js';
import { evaluationOptions } from './evaluation-keys.js';

/** The option whose default is changed here: a failed rollout counts as 0, so that models are compared on the same tasks. */
const { failed_reward } = agentOptions;

export const evaluateAgentOptions = unitOptions({
  ...agentOptions,
  model: optionalText(`${modelText}; null: those of task.models`),
  ...evaluationOptions,
  failed_reward: defaulting(failed_reward, 0),
});

export const evaluateAgentTask: TaskUnit = {
  name: 'evaluate_agent',
  description: 'play an agent of yours on its test tasks with one or more models, and compare them',
  keys: () => ({
    ...runKeys,
    task: evaluateAgentOptions,
    ...nodesOfAgents,
  }),
  plays: false,
  async problems({ task }: TaskConfig<typeof evaluateAgentOptions>) {
    const { model, models, compareWith } = task;
    const problems: ConfigProblem[] = agentProblems({ ...task, model: model ?? models[0] ?? null });
    if (models.length > 0 && (model !== null || compareWith.length > 0))
      problems.push({
        key: 'task.models',
        message: 'task.models is given together with task.model or task.compare_with',
        remedy: 'give all models in one of the two ways',
      });
    const places = {
      'task.models': models,
      'task.model': model === null ? [] : [model],
      'task.compare_with': compareWith,
    };
    for (const [key, place] of Object.entries(places).flatMap(([name, own]) =>
      own.map((one) => [name, one] as const),
    )) {
      const problem = isEndpoint(place) ? endpointProblem(key, place, task) : await modelProblem(key, place);
      if (problem !== null) problems.push(problem);
    }
    problems.push(...unusedProblems(task));
    if (task.failDrop !== null && models.length < 2 && compareWith.length === 0)
      problems.push({
        key: 'task.fail_drop',
        message: `task.fail_drop=${task.failDrop}: there is no other model to compare with`,
        remedy: 'give task.compare_with=[FOLDER], or write task.fail_drop=null',
      });
    return problems;
  },
  load: async () => (await import('./evaluate-agent.js')).evaluateAgent,
};
