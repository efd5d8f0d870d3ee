// Defines the options of task=train_agent, which trains the model of a user's agent on the calls that the agent makes to a server
// of the model.
import type { TObject, TProperties } from '@sinclair/typebox';
import { findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import { integer, optional, positive, unitOptions, oneProblem, type ConfigProblem } from '@bowyer/core';
import { modelProblem } from '../../agent/folders/model-folders.js';
import { criticNode, criticOptions } from '../../agent/keys/critic-keys.js';
import { deviceNode, deviceOptions, gradientOptions } from '../../agent/keys/model-keys.js';
import { loraNodeOf, optimizerNode } from '../../agent/keys/policy-keys.js';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';
import { quantizationProblems } from '../../agent/policy/quantization-problems.js';
import type { Choices } from '../../agent/keys/choices.js';
import { algorithmNode } from '../../keys/algorithm-node.js';
import { checkpointsNode, runKeys, saveMinutes, titleKeys } from '../../keys/run-keys.js';
import { loggerKeys } from '../../keys/logger-keys.js';
import { guardNode, guardProblems } from '../../run/guard.js';
import { diagnosticsNode } from '../train/diagnostics-node.js';
import { lossProblems } from '../train/loss-problems.js';
import type { TrainConfig } from '../train/train-config.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { agentOptions, modelOption, nodesOfAgents } from './agent-keys.js';
import { agentProblems } from './agent-problems.js';
import { rankingNode } from './ranking-keys.js';
import { watchNode } from './watch-node.js';

export const trainAgentOptions = unitOptions({
  ...agentOptions,
  ...modelOption,
  test_size: integer(256, 'rollouts of the final test, over held-out tasks'),
});

/**
 * The config of the task: that of task=train without the keys of environments and of policies from scratch, and with the task's
 * own options.
 */
export type TrainAgentConfig = Omit<TrainConfig, 'task' | 'policy' | 'play' | 'sampling'> &
  TaskConfig<typeof trainAgentOptions> &
  Pick<AgentConfig, 'optimizer'> &
  NodePart<'policy', 'quantization'> &
  NodePart<'play', 'maxFailureShare'>;

const rateKey = optional(
  positive,
  'peak learning rate of the policy; null: it follows from the width of the model, for Adam (docs/agents/train.md)',
);

/** Allows null for the learning rate of an algorithm's policy, which selects a rate by the width of the model. */
function withUsualRate(options: TObject): TObject {
  const actor = (options.properties as TProperties).actor as TObject | undefined;
  if (actor === undefined || !('lr' in (actor.properties as object))) return options;
  const properties = { ...options.properties, actor: { ...actor, properties: { ...actor.properties, lr: rateKey } } };
  return { ...options, properties };
}

function keys(choices: Choices): TProperties {
  const { algorithm, setting } = choices;
  return {
    ...runKeys,
    ...titleKeys('train_agent'),
    ...loggerKeys(choices),
    ...nodesOfAgents,
    device: deviceNode({ ...deviceOptions, ...gradientOptions }),
    algorithm: algorithmNode(algorithm, algorithm === null ? undefined : withUsualRate(algorithm.options as TObject)),
    task: trainAgentOptions,
    ranking: rankingNode,
    lora: loraNodeOf(choices),
    optimizer: optimizerNode(setting('optimizer.kind')),
    ...(algorithm?.needs.critic && { critic: criticNode(criticOptions(choices)) }),
    diagnostics: diagnosticsNode,
    guard: guardNode,
    watch: watchNode,
    checkpoints: checkpointsNode({ minutes: saveMinutes }),
  };
}

export const trainAgentTask: TaskUnit = {
  name: 'train_agent',
  description:
    'train the model of an agent of yours: a program that calls it over the protocols of OpenAI or Anthropic',
  keys,
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw & TrainAgentConfig;
    const unit = findAlgorithm(config.algorithm.name);
    const problems = [...(await agentProblems(config.task)), ...algorithmProblems(unit, raw)];
    const { guard, diagnostics } = config;
    const { model } = config.task;
    if (model !== null) {
      const problem = await modelProblem('task.model', model);
      if (problem !== null) problems.push(problem);
    }
    problems.push(...quantizationProblems(config), ...rateProblems(config));
    if (guard && diagnostics) problems.push(...guardProblems(guard, diagnostics));
    if (problems.length === 0)
      problems.push(...(await lossProblems(unit, { ...config, policy: { checkpoint: null, model } })));
    return problems;
  },
  load: async () => (await import('./train-agent.js')).trainAgent,
};

/**
 * Refuses null for the learning rate with another optimizer than Adam, since the rule that selects the rate holds only for Adam.
 */
function rateProblems({
  algorithm,
  optimizer: { kind },
}: Pick<TrainAgentConfig, 'algorithm' | 'optimizer'>): ConfigProblem[] {
  if (algorithm.actor?.lr !== null || kind.startsWith('adam')) return [];
  const message = `algorithm.actor.lr is null, and optimizer.kind=${kind} has no usual rate: only those of Adam are known`;
  return oneProblem('algorithm.actor.lr', message, 'give the learning rate, or write optimizer=adam');
}

/** Null where the algorithm can train a user's agent. */
export const reasonAgainstAgents = ({ needs, name, playsWithCritic }: AnyAlgorithm): string | null =>
  needs.source === 'dataset'
    ? `${name} learns from a dataset`
    : needs.expert
      ? `${name} asks the expert of an environment, and the tasks of an agent have none`
      : needs.dataset
        ? `${name} learns from demonstrations of an environment too, and an agent has none`
        : playsWithCritic
          ? `${name} acts with its critic, and an agent calls its model alone`
          : null;

/** Refuses algorithms that do not learn from rollouts, and options that have an effect only in an environment. */
function algorithmProblems(unit: AnyAlgorithm | undefined, config: Record<string, unknown>): ConfigProblem[] {
  if (unit === undefined) return [];
  const { needs } = unit;
  const reason = reasonAgainstAgents(unit);
  const problems: ConfigProblem[] =
    reason === null
      ? []
      : oneProblem(
          'algorithm.name',
          reason,
          needs.dataset && needs.source !== 'dataset'
            ? 'learn from records first (task=finetune), and then with algorithm=online_filteredbc algorithm.filter.min_return=1'
            : 'choose another, such as algorithm=grpo; task=finetune learns from records',
        );
  const { rollout } = config.algorithm as { rollout?: { horizon?: unknown } };
  if ((rollout?.horizon ?? null) !== null)
    problems.push({
      key: 'algorithm.rollout.horizon',
      message: 'horizon cuts the episodes of environments, and an agent decides itself how long it works',
      remedy: 'write algorithm.rollout.horizon=null',
    });
  return problems;
}
