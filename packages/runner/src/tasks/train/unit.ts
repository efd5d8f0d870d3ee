// Defines the options of task=train, which trains an agent with an algorithm and plays a final test.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { findAlgorithm } from '@bowyer/algorithms';
import {
  changeableOnResume,
  choice,
  flag,
  group,
  integer,
  optional,
  unitOptions,
  oneProblem,
  type ConfigProblem,
} from '@bowyer/core';
import { isConversationFile } from '@bowyer/conversations';
import { contextKeys } from '../../agent/context/context-keys.js';
import { demonstrationProblems, demonstrationsNode } from '../../agent/demonstrations/demonstration-keys.js';
import { environmentKeysOf } from '../../agent/environment/environment-keys.js';
import { modelProblem } from '../../agent/folders/model-folders.js';
import { isWeightsFile } from '../../agent/folders/weights-file.js';
import { builtInOptions, loraNodeOf, optimizerNode, policyNode, policyOptions } from '../../agent/keys/policy-keys.js';
import { cacheOptions, warmStartNode, warmStartOptions } from '../../agent/keys/warm-start-keys.js';
import {
  chatNode,
  conversationOptions,
  deviceNode,
  deviceOptions,
  drawOption,
  gradientOptions,
  hubNode,
  samplingNode,
  samplingOptions,
  templateOptions,
} from '../../agent/keys/model-keys.js';
import { criticNode, criticOptions } from '../../agent/keys/critic-keys.js';
import {
  playNode,
  episodeOptions,
  remotePolicyNode,
  rolloutNode,
  samplingPrecision,
} from '../../agent/keys/play-keys.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import { memoryKeys } from '../../agent/memory/memory-keys.js';
import { quantizationProblems, type QuantizationConfig } from '../../agent/policy/quantization-problems.js';
import { remotePolicyProblems } from '../../agent/play/remote-policy-problems.js';
import { rolloutProblems, type AheadConfig } from '../../agent/play/rollout-problems.js';
import { samplingPrecisionProblems, type SamplingPrecisionConfig } from '../../agent/play/sampling-precision.js';
import type { Choices } from '../../agent/keys/choices.js';
import { algorithmNode } from '../../keys/algorithm-node.js';
import { checkpointsNode, runKeys, saveEpochs, saveMinutes, titleKeys } from '../../keys/run-keys.js';
import { loggerKeys } from '../../keys/logger-keys.js';
import { guardNode, guardProblems, type GuardBounds } from '../../run/guard.js';
import { diagnosticsNode } from './diagnostics-node.js';
import { lossProblems, type LossConfig } from './loss-problems.js';
import type { TaskUnit } from '../task.js';

/**
 * Returns the config node for data-parallel training. A run may be resumed with other values of it, and with another number of
 * processes.
 */
const distributedNode = ({ algorithm }: Choices) =>
  changeableOnResume(
    group(
      {
        shard_optimizer: flag(
          false,
          'each process keeps the moments of only a part of the parameters (ZeRO-1) and sends the others what it has updated; it has no effect on one process',
        ),
        ...('replay' in (algorithm?.options.properties ?? {}) &&
          algorithm?.needs.critic === 'double' && {
            replay: choice(
              ['global', 'local'],
              'global',
              'global: every process has the whole replay buffer; local: the buffer is divided among the processes, and each gives its share of every batch',
            ),
          }),
      },
      'how the processes that mpirun or srun has started share the run (docs/data-parallel.md)',
    ),
  );

/** In synchronous runs it has only the key `mode`, so that runs of versions without this node can be resumed. */
function rolloutNodeOf({ setting }: Choices): TSchema {
  if ((setting('rollout.mode') ?? 'synchronous') !== 'synchronous') return rolloutNode;
  const { mode } = rolloutNode.properties;
  return changeableOnResume(
    Type.Object({ mode }, { additionalProperties: false, description: rolloutNode.description }),
  );
}

/**
 * Returns the option for the sampler's precision. A run may be resumed with another value unless it is `integers`, so that runs
 * of versions without this option can be resumed.
 */
const precisionOf = ({ setting }: Choices) =>
  setting('sampling.precision') === 'integers' ? samplingPrecision : changeableOnResume(samplingPrecision);

export const trainOptions = {
  test_size: integer(300, 'episodes of the final test, which neither training nor the choice of the best policy sees'),
};

export const datasetOptions = {
  max_input_length: optional(
    integer,
    'longest example in tokens: longer conversations lose their end, and longer episodes their last turns; null: the length of the policy’s context',
  ),
};

function keys(choices: Choices): TProperties {
  const { algorithm, setting } = choices;
  const collects = algorithm?.needs.source !== 'dataset';
  const hasDataset = !collects || algorithm?.needs.dataset === true;
  const isGiven = (setting('policy.checkpoint') ?? setting('policy.model') ?? null) !== null;
  const imitates = !isGiven || hasDataset;
  const usesTemplate =
    setting('play.as_chat') === true || (imitates && hasConversations(setting('demonstrations.path')));
  const usesCache = (collects && !isGiven) || isWeightsFile(setting('policy.checkpoint'));
  return {
    ...runKeys,
    ...titleKeys('archer-acc'),
    ...loggerKeys(choices),
    device: deviceNode({ ...deviceOptions, ...gradientOptions }),
    distributed: distributedNode(choices),
    hub: hubNode,
    algorithm: algorithmNode(algorithm),
    ...environmentKeysOf(choices),
    ...contextKeys(choices),
    ...memoryKeys(choices, 'train'),
    play: playNode(episodeOptions),
    sampling: samplingNode({
      ...samplingOptions,
      // This option applies to rollouts only; the decoding of the final test is in algorithm.eval.decoding.
      ...(collects && !algorithm?.alwaysSamples && drawOption),
      ...(collects && { precision: precisionOf(choices) }),
    }),
    ...(usesTemplate && { chat: chatNode({ ...templateOptions, ...conversationOptions }) }),
    task: unitOptions({ ...trainOptions, ...(hasDataset && datasetOptions) }),
    policy: policyNode({ ...policyOptions, ...(!isGiven && builtInOptions) }),
    lora: loraNodeOf(choices),
    optimizer: optimizerNode(setting('optimizer.kind')),
    ...(algorithm?.needs.critic && { critic: criticNode(criticOptions(choices)) }),
    ...(imitates && { demonstrations: demonstrationsNode(choices) }),
    ...(collects && { diagnostics: diagnosticsNode, guard: guardNode, remote_policy: remotePolicyNode }),
    ...(collects && { rollout: rolloutNodeOf(choices) }),
    checkpoints: checkpointsNode({ minutes: saveMinutes, ...(!collects && { epochs: saveEpochs }) }),
    ...(usesCache && { warm_start: warmStartNode({ ...(collects && !isGiven && warmStartOptions), ...cacheOptions }) }),
  };
}

/** Returns whether a file contains conversations rather than episodes. */
const hasConversations = (path: unknown): boolean => typeof path === 'string' && isConversationFile(path);

/**
 * Refuses a file of conversations for an algorithm that needs tokens, probabilities or the reward of each turn, which
 * conversations do not have.
 */
function conversationProblems(algorithm: string, path: string | null): ConfigProblem[] {
  if (!hasConversations(path)) return [];
  return oneProblem(
    'demonstrations.path',
    `demonstrations.path=${path} has conversations: they have no token ids, no probabilities and no reward per turn, from which algorithm=${algorithm} learns`,
    'write algorithm=bc to imitate them, algorithm=filteredbc to imitate those with the highest reward or algorithm=offline_dpo to prefer them, or give episodes',
  );
}

type TrainConfig = Pick<AgentConfig, 'critic' | 'demonstrations'> &
  QuantizationConfig &
  LossConfig &
  AheadConfig &
  SamplingPrecisionConfig & {
    algorithm: { name: string; teacher?: string | null };
    env: { name: string };
    guard?: GuardBounds;
    diagnostics?: { turns: number; klToStart: boolean };
  };

export const trainTask: TaskUnit = {
  name: 'train',
  description: 'train an agent, from its supervised start to its final test',
  keys,
  plays: true,
  sharesRanks: true,
  async problems(raw) {
    const config = raw as typeof raw & TrainConfig;
    const { policy, critic, guard, diagnostics } = config;
    const algorithm = findAlgorithm(config.algorithm.name);
    const problems: ConfigProblem[] = [];
    for (const [key, place] of [
      ['policy.checkpoint', policy.checkpoint],
      ['policy.model', policy.model],
    ] as const) {
      const problem = await modelProblem(key, place);
      if (problem !== null) problems.push(problem);
    }
    const { teacher = null } = config.algorithm;
    if (teacher !== null && !/^https?:/.test(teacher)) {
      const problem = await modelProblem('algorithm.teacher', teacher);
      if (problem !== null) problems.push(problem);
    }
    if (critic?.model) {
      const problem = await modelProblem('critic.model', critic.model);
      if (problem !== null) problems.push(problem);
      if (critic.kind !== 'transformer')
        problems.push({
          key: 'critic.model',
          message: `critic.model=${critic.model}: the built-in critic is made from scratch and would not use it`,
          remedy: 'write critic=transformer or critic=roberta_base, or critic.model=null',
        });
    }
    problems.push(...quantizationProblems(config));
    problems.push(...remotePolicyProblems(algorithm, config));
    problems.push(...rolloutProblems(algorithm, config));
    problems.push(...samplingPrecisionProblems(algorithm, config));
    if (guard && diagnostics) problems.push(...guardProblems(guard, diagnostics));
    const isGiven = policy.checkpoint !== null || policy.model !== null;
    if (problems.length === 0) problems.push(...(await lossProblems(algorithm, config)));
    const needs = algorithm?.needs;
    const isOnDataset = needs?.source === 'dataset';
    if (!isGiven || isOnDataset || needs?.dataset) problems.push(...demonstrationProblems(raw));
    if (needs?.turnRewards) problems.push(...conversationProblems(config.algorithm.name, config.demonstrations.path));
    if (config.lora.enabled && isOnDataset && !isGiven)
      problems.push({
        key: 'lora.enabled',
        message: 'lora.enabled=true: adapters need a trained model beside them, and none is given',
        remedy: 'give one with policy.model=FOLDER, or write lora.enabled=false to train the whole policy',
      });
    return problems;
  },
  load: async () => (await import('./train.js')).train,
};
