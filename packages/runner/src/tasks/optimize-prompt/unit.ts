// Defines task=optimize_prompt, which improves the prompts of a user's agent by reflection on its rollouts.
import type { ConfigProblem } from '@bowyer/core';
import { modelProblem } from '../../agent/folders/model-folders.js';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { nodesOfAgents } from '../train-agent/agent-keys.js';
import { agentProblems } from '../train-agent/agent-problems.js';
import { optimizePromptOptions, reflectorNode, type OptimizeConfig } from './prompt-keys.js';

export const optimizePromptTask: TaskUnit = {
  name: 'optimize_prompt',
  description: 'evolve the prompts and tool descriptions of an agent of yours by reflection on its rollouts (GEPA)',
  keys: () => ({
    ...runKeys,
    task: optimizePromptOptions,
    reflector: reflectorNode,
    ...nodesOfAgents,
  }),
  plays: false,
  async problems({ task, reflector }: Pick<OptimizeConfig, 'task' | 'reflector'>) {
    const problems: ConfigProblem[] = agentProblems(task);
    const { model, failedReward } = task;
    const problem = model === null ? null : await modelProblem('model', model);
    if (problem !== null) problems.push(problem);
    if (reflector.baseUrl === null)
      problems.push({
        key: 'reflector.base_url',
        message: 'prompts are improved by a model that reads the rollouts: reflector.base_url is null',
        remedy: 'give its address and name: reflector.base_url=http://HOST:PORT/v1 reflector.model=NAME',
      });
    if (failedReward === null)
      problems.push({
        key: 'task.failed_reward',
        message:
          'task.failed_reward=null: prompts are compared on the same tasks, so a rollout that fails needs a reward too',
        remedy: 'write task.failed_reward=0',
      });
    return problems;
  },
  load: async () => (await import('./optimize-prompt.js')).optimizePrompt,
};
