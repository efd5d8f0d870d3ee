// Defines the interface of the source from which a training gets its rollouts: the environment of its config, or a user's agent
// (task=train_agent).
import type { Agent, Dialogues, TrainingRun } from '@bowyer/algorithms';
import type { Trajectory } from '@bowyer/core';
import type { SplitPlan } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import { dialoguesOf, type DialogueConfig } from '../../agent/chat/dialogues.js';
import { agentEnvironment, type ContextConfig } from '../../agent/context/agent-context.js';
import { environmentOf, optimalReturnOf, splitPlanOf } from '../../agent/environment/environment.js';
import type { AgentMemory, MemoryConfig } from '../../agent/memory/agent-memory.js';
import type { TaskContext } from '../../context/task-context.js';
import { breakdownOf, type TaskResult } from '../../run/breakdown.js';

export interface RolloutSource {
  /** Whether the source samples with a model server of its own instead of the algorithm's player. */
  readonly hasOwnSampler: boolean;
  /** How the items of the environment, or the tasks of a user's agent, are divided into training and test. */
  readonly plan: Pick<SplitPlan, 'noun' | 'shared'>;
  /** Null where it cannot be computed. */
  readonly optimalReturn: number | null;
  /** Returns the converter of episodes into the policy's tokens. */
  dialogues(policy: LanguageModel): Promise<Dialogues>;
  /** @param trained returns the number of iterations for which the agent has been trained */
  open(agent: Agent, trained: () => number): Promise<OpenRolloutSource>;
  /** Computes metrics separately for each kind of task, or for each item if there are few. */
  breakdown(trajectories: readonly Trajectory[]): TaskResult[];
}

/** A source whose rollouts a given agent plays. */
export interface OpenRolloutSource extends AsyncDisposable {
  parts: Pick<TrainingRun, 'makeEnv' | 'playSet' | 'together' | 'environment'>;
}

type SourceConfig = ContextConfig & MemoryConfig & DialogueConfig & { demonstrations?: object };

/** @param memory of the agent; null where it has none */
export type MakeRolloutSource<Config> = (
  config: Config,
  context: TaskContext,
  memory: AgentMemory | null,
) => RolloutSource;

export const environmentSource: MakeRolloutSource<SourceConfig> = (config, context, memory) => ({
  hasOwnSampler: false,
  get plan() {
    return splitPlanOf(config);
  },
  get optimalReturn() {
    return optimalReturnOf(config);
  },
  dialogues: (policy) => dialoguesOf(policy, config, context),
  open: () =>
    Promise.resolve({
      parts: {
        makeEnv: agentEnvironment(config, environmentOf(config, context.envParts), memory?.memory ?? null),
        // The encoder of the memory answers asynchronously. With `together`, all episodes wait for each other, so that batches do
        // not depend on the encoder's speed.
        together: config.memory?.kind === 'encoder',
        environment: config.env.name,
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  breakdown: (trajectories) => breakdownOf(config.env.name, trajectories),
});
