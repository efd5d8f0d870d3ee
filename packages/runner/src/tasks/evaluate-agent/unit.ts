// task=evaluate_agent: how good an agent of the user is with one or more models, as a report and as a gate.
import type { ConfigProblem } from '@bowyer/core';
import { deviceKeys, hubKeys, modelProblem, playKeys, policyKeys, templateKeys } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { agentKeys, modelKey } from '../train-agent/agent-keys.js';
import { agentProblems } from '../train-agent/agent-problems.js';
import { endpointProblem, isEndpoint, unusedProblems } from './endpoints.js';
import { evaluationKeys, type EvaluationKeys } from './evaluation-keys.js';

export const evaluateAgentTask: TaskUnit = {
  name: 'evaluate_agent',
  description: 'play an agent of yours on its test tasks with one or more models, and compare them',
  keys: () => ({
    ...runKeys,
    ...deviceKeys,
    ...hubKeys,
    ...templateKeys,
    ...agentKeys,
    ...modelKey,
    ...evaluationKeys,
    max_failure_share: playKeys.max_failure_share,
    quantization: policyKeys.quantization,
  }),
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw &
      Parameters<typeof agentProblems>[0] &
      Parameters<typeof endpointProblem>[2] &
      EvaluationKeys;
    const { model, models, compareWith } = config;
    const problems: ConfigProblem[] = agentProblems({ ...config, model: model ?? models[0] ?? null });
    if (models.length > 0 && (model !== null || compareWith.length > 0))
      problems.push({
        key: 'models',
        message: 'models is given together with model or compare_with',
        remedy: 'give all models in one of the two ways',
      });
    const places = { models, model: model === null ? [] : [model], compare_with: compareWith };
    for (const [key, place] of Object.entries(places).flatMap(([name, own]) =>
      own.map((one) => [name, one] as const),
    )) {
      const problem = isEndpoint(place) ? endpointProblem(key, place, config) : await modelProblem(key, place);
      if (problem !== null) problems.push(problem);
    }
    problems.push(...unusedProblems(config));
    if (config.failDrop !== null && models.length < 2 && compareWith.length === 0)
      problems.push({
        key: 'fail_drop',
        message: `fail_drop=${config.failDrop}: there is no other model to compare with`,
        remedy: 'give compare_with=[FOLDER], or write fail_drop=null',
      });
    return problems;
  },
  load: async () => (await import('./evaluate-agent.js')).evaluateAgent,
};
