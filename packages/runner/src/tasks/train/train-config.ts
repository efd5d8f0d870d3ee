// The keys that task=train reads.
import type { Decoding, DiagnosticsOptions, ReplayPlacement, WatchOptions } from '@bowyer/algorithms';
import type { LearningRateSchedule } from '@bowyer/core';
import type {
  CriticConfig,
  RolloutConfig,
  RemotePolicyConfig,
  SamplingPrecisionConfig,
  WarmStartConfig,
  AgentConfig,
  ContextConfig,
  MemoryConfig,
} from '@bowyer/agent';
import type { RunConfig } from '../../keys/run-keys.js';
import type { LoggerConfig } from '../../run/open-loggers.js';
import type { GuardBounds } from '../../run/guard.js';

export type TrainConfig = WarmStartConfig &
  ContextConfig &
  MemoryConfig &
  SamplingPrecisionConfig &
  CriticConfig &
  Pick<RunConfig, 'projectName' | 'runName'> &
  Pick<
    AgentConfig,
    | 'gpuBuffers'
    | 'threads'
    | 'slots'
    | 'maxFailureShare'
    | 'maxNewTokens'
    | 'doSample'
    | 'temperature'
    | 'topK'
    | 'topP'
    | 'checkpointPath'
    | 'policyLm'
    | 'useLora'
    | 'lora'
  > & {
    agentType: string;
    logger: LoggerConfig;
    distributed: { replay?: ReplayPlacement; shardOptimizer: boolean };
    evalDecoding?: Decoding | 'both';
    testSize: number;
    saveMinutes?: number | null;
    saveFreq?: number | null;
    /** Read by an algorithm on a dataset. */
    epochs?: number;
    maxInputLength?: number | null;
    /** Read by an algorithm that counts them. */
    iterations?: number;
    gamma?: number;
    /** Read by an algorithm that plays episodes. */
    diagnostics?: Omit<DiagnosticsOptions, 'seed'>;
    guard?: GuardBounds;
    /** Read by an agent's training, whose result is handed out. */
    watch?: WatchOptions;
    remotePolicy?: RemotePolicyConfig;
    rollout?: RolloutConfig;
    /** Read by an algorithm with a schedule over its iterations. */
    lmLrFinalShare?: number;
    lmSchedule?: Omit<LearningRateSchedule, 'finalShare'> & { finalShare: number | null };
  };
