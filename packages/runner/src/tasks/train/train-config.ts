// Defines the type of the config that task=train reads.
import type { TObject } from '@sinclair/typebox';
import type { OptionsOf } from '@bowyer/core';
import type {
  Decoding,
  DiagnosticsOptions,
  IterationSchedule,
  ReplayPlacement,
  WatchOptions,
} from '@bowyer/algorithms';
import type { CriticConfig } from '../../agent/critic/critic-setup.js';
import type { RolloutConfig } from '../../agent/play/rollouts-ahead.js';
import type { RemotePolicyConfig } from '../../agent/play/remote-rollouts.js';
import type { SamplingPrecisionConfig } from '../../agent/play/sampling-precision.js';
import type { WarmStartConfig } from '../../agent/warm-start/warm-start.js';
import type { AgentConfig, NodePart } from '../../agent/keys/agent-keys.js';
import type { ContextConfig } from '../../agent/context/agent-context.js';
import type { DeviceConfig } from '../../agent/policy/device-choice.js';
import type { MemoryConfig } from '../../agent/memory/agent-memory.js';
import type { PlayConfig } from '../../agent/play/play-options.js';
import type { RunConfig } from '../../keys/run-keys.js';
import type { datasetOptions, trainOptions } from './unit.js';
import type { LoggerConfig } from '../../run/open-loggers.js';
import type { GuardBounds } from '../../run/guard.js';

export type TrainConfig = WarmStartConfig &
  ContextConfig &
  MemoryConfig &
  SamplingPrecisionConfig &
  CriticConfig &
  Pick<RunConfig, 'projectName' | 'runName'> &
  DeviceConfig &
  PlayConfig &
  Pick<AgentConfig, 'lora'> &
  NodePart<'policy', 'checkpoint' | 'model'> & {
    logger: LoggerConfig;
    distributed: { replay?: ReplayPlacement; shardOptimizer: boolean };
    /** The options of the algorithm that the task itself reads. */
    algorithm: {
      name: string;
      /** The number of iterations; present if the algorithm runs in iterations. */
      iterations?: number;
      /** The number of epochs; present if the algorithm learns from a dataset. */
      epochs?: number;
      eval?: { decoding?: Decoding | 'both' };
      actor?: { lr?: number | null; schedule?: IterationSchedule };
      gamma?: number;
    };
    /** `maxInputLength` exists only if the algorithm learns from a dataset. */
    task: OptionsOf<TObject<typeof trainOptions>> & Partial<OptionsOf<TObject<typeof datasetOptions>>>;
    checkpoints: { minutes: number | null; epochs?: number | null };
    /** The node exists only for algorithms that play episodes. */
    diagnostics?: Omit<DiagnosticsOptions, 'seed'>;
    guard?: GuardBounds;
    /** The node exists only for training a user's agent, which returns the best or the initial agent. */
    watch?: WatchOptions;
    remotePolicy?: RemotePolicyConfig;
    rollout?: RolloutConfig;
  };
