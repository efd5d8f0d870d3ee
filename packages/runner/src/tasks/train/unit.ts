// task=train: an algorithm from its start to its final test.
import { Type, type TProperties } from '@sinclair/typebox';
import { count } from '@bowyer/core';
import { modelProblem } from '../../agent/model-folders.js';
import { demonstrationProblems, demonstrationsNode } from '../../config/demonstration-keys.js';
import { environmentKeysOf, oracleKeysOf } from '../../config/environment-keys.js';
import {
  cacheKeys,
  conversationKeys,
  criticKeys,
  criticNode,
  deviceKeys,
  hubKeys,
  loraKeys,
  optimizerNode,
  playKeys,
  policyKeys,
  policyNode,
  runKeys,
  samplingKeys,
  templateKeys,
  titleKeys,
  trainingKeys,
  undecided,
  warmStartNode,
  type SharedConfig,
} from '../../config/keys.js';
import { launcherSchema, sweeperSchema } from '../../sweep/sweep-schema.js';
import type { Choices, ConfigProblem, TaskUnit } from '../task.js';

/** Keys of ArCHer's configs that name what is not built; any value but the one without effect is refused. */
const notBuilt = {
  use_wandb: Type.Literal(false, { description: 'log to Weights & Biases; not built yet: must be false' }),
  wandb_key: Type.String({
    maxLength: 0,
    description: 'kept for ArCHer’s configs; must be empty: set WANDB_API_KEY in the environment',
  }),
  use_baseline: Type.Literal(false, { description: 'token-level baseline; not built yet: must be false' }),
};

function keys(choices: Choices): TProperties {
  const { algorithm } = choices;
  const collects = algorithm?.needs.source !== 'dataset';
  const isPretrained = choices.setting('critic_lm') !== null;
  return {
    ...runKeys,
    ...titleKeys,
    ...notBuilt,
    ...deviceKeys,
    ...hubKeys,
    agent_type: Type.String({ description: 'the algorithm’s name in ArCHer’s configs; choose one by algorithm=NAME' }),
    ...(algorithm?.options.properties as TProperties | undefined),
    ...environmentKeysOf(choices),
    ...oracleKeysOf(choices),
    ...playKeys,
    ...samplingKeys,
    ...templateKeys,
    ...conversationKeys,
    test_size: count('episodes of the final test, which neither training nor the choice of the best policy sees'),
    ...policyKeys,
    policy: policyNode,
    ...loraKeys,
    ...trainingKeys,
    optimizer: optimizerNode(choices.setting('optimizer.kind')),
    ...(algorithm?.needs.critic && {
      ...criticKeys,
      critic: criticNode(choices.setting('critic.kind'), isPretrained),
    }),
    demonstrations: demonstrationsNode(choices),
    ...(collects
      ? { ...cacheKeys, warm_start: warmStartNode }
      : { save_minutes: undecided(Type.Number({ minimum: 0, description: 'minutes between checkpoints; 0: after every step' })) }),
    launcher: undecided(launcherSchema),
    sweeper: undecided(sweeperSchema),
  };
}

type TrainConfig = Pick<
  SharedConfig,
  'checkpointPath' | 'policyLm' | 'quantization' | 'useLora' | 'criticLm' | 'critic' | 'demonstrations'
> & { agentType: string; env: { name: string }; policy: object };

export const trainTask: TaskUnit = {
  name: 'train',
  description: 'train an agent, from its supervised start to its final test',
  keys,
  plays: true,
  runsModels: true,
  async problems(raw) {
    const config = raw as unknown as TrainConfig;
    const { checkpointPath, policyLm, quantization, useLora, criticLm, critic } = config;
    const problems: ConfigProblem[] = [];
    for (const key of ['checkpoint_path', 'policy_lm'] as const) {
      const problem = await modelProblem(key, key === 'policy_lm' ? policyLm : checkpointPath);
      if (problem !== null) problems.push(problem);
    }
    if (criticLm) {
      const problem = await modelProblem('critic_lm', criticLm);
      if (problem !== null) problems.push(problem);
      if (critic.kind === 'line')
        problems.push({
          key: 'critic_lm',
          what: `critic_lm=${criticLm}: the critic that reads lines is made from scratch and would not use it`,
          mend: 'write critic=transformer or critic=roberta_base, or critic_lm=null',
        });
    }
    if (quantization !== 'none' && !useLora)
      problems.push({
        key: 'quantization',
        what: `quantization=${quantization}: quantized weights are frozen, so nothing would be trained`,
        mend: 'write use_lora=true to train adapters beside them',
      });
    if (checkpointPath === null && policyLm === null) problems.push(...demonstrationProblems(raw));
    return problems;
  },
  load: async () => (await import('./train.js')).train,
};
