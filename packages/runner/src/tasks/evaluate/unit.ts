// task=evaluate: plays a trained agent, or a chat endpoint, and reports how good it is.
import { Type, type TProperties } from '@sinclair/typebox';
import { findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import { count, toSnakeCase } from '@bowyer/core';
import type { ContextOptions } from '@bowyer/envs';
import { agentFolderOf, criticFolderOf, modelProblem, runOf } from '../../agent/model-folders.js';
import { contextOf, type ContextConfig } from '../../environment/agent-context.js';
import { algorithmKeys } from '../../config/adopted-keys.js';
import { contextKeys } from '../../config/context-keys.js';
import { environmentKeysOf, oracleKeysOf, type EnvConfig } from '../../config/environment-keys.js';
import {
  criticKeys,
  criticNode,
  deviceKeys,
  endpointNode,
  hubKeys,
  playKeys,
  policyKeys,
  runKeys,
  samplingKeys,
  templateKeys,
} from '../../config/keys.js';
import type { Choices, TaskUnit } from '../task.js';
import type { ConfigProblem } from '@bowyer/core';

function keys(choices: Choices): TProperties {
  const common = {
    ...runKeys,
    ...environmentKeysOf(choices),
    ...contextKeys(choices),
    ...oracleKeysOf(choices),
    slots: playKeys.slots,
    max_failure_share: playKeys.max_failure_share,
    test_size: count('episodes to play, which training never sees'),
  };
  // An endpoint samples by its own settings.
  if (choices.setting('policy.endpoint') !== undefined)
    return {
      ...common,
      policy: Type.Object({ endpoint: endpointNode }, { additionalProperties: false, description: 'who plays' }),
      eos_str: samplingKeys.eos_str,
    };
  const { algorithm } = choices;
  const { do_sample: _, ...sampling } = samplingKeys; // eval_do_sample decides it here
  const playerKeys = algorithm?.playerOptions.map((key) => [key, algorithm.options.properties[key]]) ?? [];
  return {
    ...common,
    ...deviceKeys,
    ...hubKeys,
    ...algorithmKeys,
    ...(Object.fromEntries(playerKeys) as TProperties),
    ...(algorithm?.playsWithCritic && {
      ...criticKeys,
      critic: criticNode(choices.setting('critic.kind'), choices.setting('critic_lm') !== null),
    }),
    ...sampling,
    ...(!algorithm?.alwaysSamples && {
      eval_do_sample: Type.Boolean({ description: 'sample; false: the most likely token always' }),
    }),
    play_as_chat: playKeys.play_as_chat,
    action_choice: playKeys.action_choice,
    ...(choices.setting('play_as_chat') === true && templateKeys),
    ...policyKeys,
  };
}

/** What makes the agent another one than the config describes: its algorithm, its environment, a critic that is not there. */
function agentProblems(place: string, algorithm: AnyAlgorithm, config: Record<string, unknown>): ConfigProblem[] {
  const folder = agentFolderOf(place);
  const run = runOf(folder);
  const problems: ConfigProblem[] = [];
  const trainedBy = run?.agentType === undefined ? undefined : findAlgorithm(run.agentType);
  if (trainedBy && trainedBy !== algorithm && (trainedBy.playsWithCritic || algorithm.playsWithCritic))
    problems.push({
      key: 'agent_type',
      message: `the agent in ${folder} was trained by ${trainedBy.name}, and ${algorithm.name} acts in another way`,
      remedy: `write algorithm=${trainedBy.name}`,
    });
  else if (algorithm.playsWithCritic && criticFolderOf(folder) === null)
    problems.push({
      key: 'checkpoint_path',
      message: `${algorithm.name} acts with its critic, and there is none beside ${folder}`,
      remedy: 'give a run of this algorithm or one of its checkpoints',
    });
  const { env, context } = config as ContextConfig;
  const { name } = env;
  if (run?.env?.name !== undefined && run.env.name !== name)
    problems.push({
      key: 'env.name',
      message: `the agent in ${folder} was trained in ${run.env.name}, and would be played in ${name}`,
      remedy: `write env=${run.env.name}`,
    });
  else if (run?.context !== undefined) problems.push(...contextChanged(folder, env, run.context, context));
  return problems;
}

/** An agent that reads another text than the one it was trained on plays badly, and nothing would say why. */
function contextChanged(folder: string, env: EnvConfig, trained: ContextOptions, now: ContextOptions): ConfigProblem[] {
  const [before, after] = [trained, now].map((context) => contextOf({ env, context }));
  const differing = (Object.keys(before) as (keyof typeof before)[]).filter((key) => before[key] !== after[key]);
  if (differing.length === 0) return [];
  const given = (context: typeof before) =>
    differing.map((key) => `${toSnakeCase(key)}=${String(context[key])}`).join(' ');
  return [
    {
      key: 'context.kind',
      message: `the agent in ${folder} was trained with another context: ${given(before)}; now ${given(after)}`,
      remedy: `write context=${trained.kind}${differing.length > 1 || trained.kind === now.kind ? ' with the keys of that run' : ''}`,
    },
  ];
}

export const evaluateTask: TaskUnit = {
  name: 'evaluate',
  description: 'play a trained agent and report its return',
  keys,
  plays: true,
  async problems(config) {
    if ((config.policy as { endpoint?: object } | undefined)?.endpoint) return [];
    const { checkpointPath, policyLm } = config as { checkpointPath: string | null; policyLm: string | null };
    if (checkpointPath === null && policyLm === null)
      return [
        {
          key: 'checkpoint_path',
          message: 'task=evaluate needs an agent to play: checkpoint_path is null',
          remedy: 'give a run or a model, for instance checkpoint_path=RUN_FOLDER, or an endpoint: policy=openai',
        },
      ];
    const found = [await modelProblem('checkpoint_path', checkpointPath), await modelProblem('policy_lm', policyLm)];
    const problems = found.filter((problem): problem is ConfigProblem => problem !== null);
    const algorithm = findAlgorithm(config.agentType as string);
    if (problems.length === 0 && algorithm)
      problems.push(...agentProblems((checkpointPath ?? policyLm)!, algorithm, config));
    return problems;
  },
  load: async () => (await import('./evaluate.js')).evaluate,
};
