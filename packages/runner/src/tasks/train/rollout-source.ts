// Defines the interface of a training's source of rollouts: the environment of its config, or the agents of another task.
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
  /** Whether the source samples with its own server of the policy instead of the algorithm's player. */
  readonly hasOwnSampler: boolean;
  /** How the items of the environment, or the tasks of the agents, are divided. */
  readonly plan: Pick<SplitPlan, 'noun' | 'shared'>;
  /** The mean return of an optimal player, where it can be computed. */
  readonly optimalReturn: number | null;
  /** Returns the conversion of episodes into the policy's tokens. */
  dialogues(policy: LanguageModel): Promise<Dialogues>;
  /** Opens the source for an agent. @param trained returns the iterations that the agent has been trained for */
  open(agent: Agent, trained: () => number): Promise<OpenRolloutSource>;
  /** Computes metrics by kind of task, or by item where there are few items. */
  breakdown(trajectories: readonly Trajectory[]): TaskResult[];
}

/** A source of rollouts that is open for one agent. */
export interface OpenRolloutSource extends AsyncDisposable {
  parts: Pick<TrainingRun, 'makeEnv' | 'playSet' | 'together' | 'environment'>;
}

type SourceConfig = ContextConfig & MemoryConfig & DialogueConfig & { demonstrations?: object };

/** Makes the source of a training's rollouts. @param memory of the agent; null where it has none */
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
        // an encoder answers asynchronously, and batches must not depend on its speed
        together: config.memory?.kind === 'encoder',
        environment: config.env.name,
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  breakdown: (trajectories) => breakdownOf(config.env.name, trajectories),
});
