// The algorithm of a run, with its files, checkpoints, diagnostics and what a user may ask of it meanwhile.
import { join } from 'node:path';
import {
  Diagnostics,
  InterruptedError,
  type Agent,
  type AnyAlgorithm,
  type Dataset,
  type RecipeState,
  type Sampler,
  type TrainingRun,
} from '@bowyer/algorithms';
import { oneRank } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import type { RunLogger } from '@bowyer/logging';
import { takeExchangeTimes } from '@bowyer/models';
import {
  playOptions,
  recipeOptions,
  referenceOf,
  samplesIntegers,
  restorePolicy,
  startRestorer,
  teacherOf,
  withRemoteRollouts,
  type AgentConfig,
  type AgentMemory,
  type FreshPolicyConfig,
  type PlayConfig,
  type PolicyConfig,
  type RolloutsAhead,
  type Start,
} from '@bowyer/agent';
import { silentCheckpoints, silentFiles, silentSaveable } from '../../run/silent.js';
import type { CheckpointStore } from '@bowyer/checkpoints';
import type { CheckpointProgress } from '../../run/checkpoint-progress.js';
import { failureLog } from '../../run/failure-log.js';
import { Recorder } from '../../run/recorder.js';
import { RunControl } from '../../run/run-control.js';
import { RunFiles } from '../../run/run-files.js';
import { tokenTexts } from '../../run/token-texts.js';
import type { TaskContext } from '../../context/task-context.js';
import type { Stage } from './stage.js';
import type { TrainConfig } from './train-config.js';
import type { TrainedModels } from './trained-models.js';

/** Minutes between the checkpoints of an algorithm on a dataset, where the config gives none. */
const DATASET_MINUTES = 5;

/** The keys that are read while an algorithm runs; the algorithm reads those of its own schema. */
type AlgorithmConfig = PolicyConfig &
  FreshPolicyConfig &
  PlayConfig &
  Pick<AgentConfig, 'optimizer'> &
  Pick<TrainConfig, 'diagnostics' | 'guard' | 'watch' | 'remotePolicy' | 'samplingPrecision' | 'distributed'> &
  Pick<TrainConfig, 'algorithm' | 'saveMinutes' | 'saveFreq'>;

/** A run between its start and its final test. */
export interface RunState {
  unit: AnyAlgorithm;
  agent: Agent;
  dataset: Dataset | null;
  device: Device;
  logger: RunLogger;
  config: AlgorithmConfig;
  context: TaskContext;
  stage: Stage;
  memory: AgentMemory | null;
  store: CheckpointStore<CheckpointProgress>;
  /** Null where the run begins. */
  progress: CheckpointProgress | null;
  models: TrainedModels;
  start: Start;
  rollouts: RolloutsAhead | undefined;
}

/** Runs the algorithm to its end or to the user's stop. */
export async function runAlgorithm(runState: RunState): Promise<Recorder> {
  const {
    unit,
    agent,
    dataset,
    device,
    logger,
    config,
    context,
    stage,
    memory,
    store,
    progress,
    models,
    start,
    rollouts,
  } = runState;
  const { directory, log, onInterrupt, ranks = oneRank } = context;
  const { policy } = agent;
  const { iterations, epochs } = config.algorithm;
  const openReference = referenceOf(policy, start, config, device);
  const leads = ranks.rank === 0;
  const files = leads
    ? await RunFiles.open(directory, progress?.fileLengths ?? {}, tokenTexts(policy.tokenizer))
    : silentFiles(directory);
  await ranks.barrier(); // the files end where the run resumes
  const state: RecipeState = progress?.state ?? {};
  const firstIteration = progress?.nextIteration ?? 0;
  const written = {
    saveState: async (folder: string) => {
      await models.saveState(folder);
      await rollouts?.save(folder);
      await memory?.save(folder);
    },
    saveAgent: async (folder: string) => {
      await models.saveAgent(folder);
      await memory?.save(folder);
    },
  };
  const saveable = leads ? written : silentSaveable(models.networks, models.critic);
  const diagnostics =
    config.diagnostics &&
    new Diagnostics({ policy, openReference }, { ...config.diagnostics, seed: config.seed }, samplerOf(runState));
  const control = leads ? await RunControl.open(directory, log, () => (recorder.stopRequested = true)) : undefined;
  const restoreAgent = async (folder: string) => {
    await restorePolicy(policy, folder, config, device);
    await models.critic?.restore(join(folder, 'critic'));
  };
  const recorder = new Recorder(
    { files, checkpoints: leads ? store : silentCheckpoints, saveable, restoreAgent, logger },
    {
      iterations: iterations ?? null,
      firstIteration,
      hasLines: config.watch !== undefined,
      state,
      best: progress?.best ?? null,
    },
    {
      saveMinutes: config.saveMinutes ?? (unit.needs.source === 'dataset' ? DATASET_MINUTES : null),
      ...(iterations === undefined && { saveEpochs: { between: config.saveFreq ?? null, all: epochs! } }),
      guard: config.guard,
      isWatched: config.watch !== undefined,
      control,
      ranks,
    },
    context,
    {
      metrics: async () => {
        const diagnosed = await diagnostics?.afterUpdate();
        return { ...rollouts?.takeMetrics(), ...diagnosed };
      },
      innerSeconds: () => rollouts?.takeSeconds() ?? (ranks.size > 1 ? exchangeSeconds(device) : {}),
    },
  );
  const stop = () => {
    recorder.stopRequested = true;
    control?.endPause();
  };
  onInterrupt(stop, 'stopping at the next checkpoint');
  const { metrics, rollouts: history } = await RunFiles.read(directory);
  recorder.remember(metrics);
  const played = await stage.open(agent, () => recorder.iteration);
  const run: TrainingRun = {
    ...agent,
    ...played.parts,
    ...failureLog(log),
    onRollout: async (rollout, iteration) => {
      await diagnostics?.onRollout(rollout, iteration);
      recorder.progress('diagnostics', 1, 1);
      memory?.addRollout(rollout);
    },
    onEvaluation: (episodes) => recorder.evaluated(episodes),
    dataset,
    history,
    state,
    firstIteration,
    hooks: recorder,
    valueModel: models.valueModel,
    openReference,
    openTeacher: teacherOf(policy, config, device),
    restoreStart: startRestorer(policy, start, config, device),
    ranks,
    replayPlacement: config.distributed.replay,
    rollouts,
    ...(config.watch && { watch: config.watch }),
  };
  const options = recipeOptions(config, policy.tokenizer);
  const trained = withRemoteRollouts(config.remotePolicy, { ...agent, slots: config.slots }, (remote) => {
    const integers = samplesIntegers(config)
      ? unit.openPlayer({ ...agent, samplesIntegers: true }, options)
      : undefined;
    return unit.train({ ...run, openRollouts: remote ?? integers }, options);
  });
  await trained
    .finally(() => played.close())
    .finally(() => control?.close())
    .catch(async (error: unknown) => {
      // A rollout was given up: nothing has been learned since the last iteration.
      if (!(error instanceof InterruptedError)) throw error;
      await recorder.checkpointOnce(recorder.iteration);
    });
  // save_freq need not divide the iterations: what was trained last is kept, and more iterations continue from it.
  if (iterations !== undefined && !recorder.stopRequested) await recorder.checkpointOnce(recorder.iteration);
  recorder.finish();
  // A run without an evaluation has no best agent: its last one is what it made.
  if (recorder.best === null && (!recorder.stopRequested || recorder.stoppedByGuard !== null))
    await saveable.saveAgent(recorder.bestFolder);
  return recorder;
}

/** Plays with each update's weights; null where nothing is updated, or where rollouts have weights of their own or choose among actions. */
function samplerOf({ unit, agent, config, context, stage, rollouts }: RunState): Sampler | null {
  const { actionChoice = 'free' } = agent.dialogues;
  const isApart = stage.hasOwnSampler || rollouts !== undefined || (config.remotePolicy?.baseUrl ?? null) !== null;
  if (!unit.trainsPolicy || unit.playsWithCritic || isApart || actionChoice !== 'free') return null;
  const { sampling } = playOptions(config, agent.policy.tokenizer);
  const player = { ...agent, samplesIntegers: samplesIntegers(config) };
  return { openPlayer: (slots) => unit.openPlayer(player, { slots }), sampling, ranks: context.ranks };
}

/** Parts of the phases in which there are optimizer steps. */
function exchangeSeconds(device: Device): Record<string, number> {
  const { wait, exchange } = takeExchangeTimes(device);
  return { 'gradient wait': wait / 1000, 'gradient exchange': exchange / 1000 };
}
