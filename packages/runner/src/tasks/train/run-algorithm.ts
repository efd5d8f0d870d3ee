// Runs the algorithm of a training, writes its files and checkpoints, measures diagnostics, and handles the user's requests to
// stop, pause or save.
import { join } from 'node:path';
import { Diagnostics, InterruptedError, type AlgorithmState, type Sampler, type TrainingRun } from '@bowyer/algorithms';
import { oneRank } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { takeExchangeTimes } from '@bowyer/models';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import { playOptions, recipeOptions, type PlayConfig } from '../../agent/play/play-options.js';
import { openRemoteRollouts } from '../../agent/play/remote-rollouts.js';
import { openRolloutsAhead, type OpenRolloutsAhead } from '../../agent/play/rollouts-ahead.js';
import { samplesIntegers } from '../../agent/play/sampling-precision.js';
import type { DeviceConfig } from '../../agent/policy/device-choice.js';
import type { FreshPolicyConfig } from '../../agent/policy/fresh-policy.js';
import type { PolicyConfig } from '../../agent/policy/policy-setup.js';
import { referenceOf, teacherOf } from '../../agent/policy/reference-policy.js';
import { restorePolicy, startRestorer } from '../../agent/policy/restore-start.js';
import { silentCheckpoints, silentFiles, silentSaveable } from '../../run/silent.js';
import { failureLog } from '../../run/failure-log.js';
import { Recorder, type RunOutput } from '../../run/recorder.js';
import { RunControl } from '../../run/run-control.js';
import { RunFiles } from '../../run/run-files.js';
import { tokenTexts } from '../../run/token-texts.js';
import type { TaskContext } from '../../context/task-context.js';
import type { OpenRun } from './open-run.js';
import type { TrainConfig } from './train-config.js';

/** The minutes between checkpoints of an algorithm that learns from a dataset, if the config gives none. */
const DATASET_MINUTES = 5;

/** The config keys that are read while an algorithm runs, in addition to the algorithm's own options. */
type AlgorithmConfig = DeviceConfig &
  PolicyConfig &
  FreshPolicyConfig &
  PlayConfig &
  Pick<AgentConfig, 'optimizer'> &
  Pick<TrainConfig, 'diagnostics' | 'guard' | 'watch' | 'remotePolicy' | 'sampling' | 'distributed'> &
  Pick<TrainConfig, 'algorithm' | 'checkpoints'>;

/** Runs the algorithm until it ends or the user stops it. */
export async function runAlgorithm(
  opened: OpenRun,
  config: AlgorithmConfig,
  context: TaskContext,
  logger: RunOutput['logger'],
): Promise<Recorder> {
  const { unit, agent, device, memory, models, progress, firstIteration, start, source } = opened;
  const { directory, log, onInterrupt, ranks = oneRank } = context;
  const { policy } = agent;
  const { iterations, epochs } = config.algorithm;
  const leads = ranks.rank === 0;
  const openReference = referenceOf(policy, start, config, device);
  const state: AlgorithmState = progress?.state ?? {};

  // First, the source of asynchronous rollouts and the diagnostics are opened.
  await using rollouts = await openRolloutsAhead(config, opened);
  const diagnostics =
    config.diagnostics &&
    new Diagnostics(
      { policy, openReference },
      { ...config.diagnostics, seed: config.seed },
      samplerOf(opened, rollouts !== undefined, config, context),
    );

  // Second, the run's files are opened, and requests of the user are handled from here on.
  const output = await outputOf(opened, rollouts, config, context, logger);
  await using control = leads
    ? await RunControl.open(directory, log, () => (recorder.stopRequested = true))
    : undefined;
  const recorder = new Recorder(
    output,
    {
      iterations: iterations ?? null,
      firstIteration,
      hasLines: config.watch !== undefined,
      state,
      best: progress?.best ?? null,
    },
    {
      saveMinutes: config.checkpoints.minutes ?? (unit.needs.source === 'dataset' ? DATASET_MINUTES : null),
      ...(iterations === undefined && { saveEpochs: { between: config.checkpoints.epochs ?? null, all: epochs! } }),
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

  // Third, the algorithm trains.
  const options = recipeOptions(config, policy.tokenizer);
  try {
    await using played = await source.open(agent, () => recorder.iteration);
    await using remote = await openRemoteRollouts(config.remotePolicy, agent);
    const integers = samplesIntegers(config)
      ? unit.openPlayer({ ...agent, samplesIntegers: true }, options)
      : undefined;
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
      dataset: opened.dataset,
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
    await unit.train({ ...run, openRollouts: remote?.openPlayer(config.play.slots) ?? integers }, options);
  } catch (error) {
    // A rollout was interrupted by the user's stop. Its episodes are lost, but nothing has been learned since the last iteration,
    // whose checkpoint is written.
    if (!(error instanceof InterruptedError)) throw error;
    await recorder.checkpointOnce(recorder.iteration);
  }
  // The last iteration is always saved, since the interval between checkpoints need not divide the number of iterations; a run that
  // is resumed with more iterations continues from this checkpoint.
  if (iterations !== undefined && !recorder.stopRequested) await recorder.checkpointOnce(recorder.iteration);
  recorder.finish();
  // A run without evaluations has no best agent, so that its last agent is saved as the best one.
  if (recorder.best === null && (!recorder.stopRequested || recorder.stoppedByGuard !== null))
    await output.saveable.saveAgent(recorder.bestFolder);
  return recorder;
}

/**
 * Opens the run's files, cuts them to their lengths at the checkpoint from which the run resumes, and defines the contents of a
 * checkpoint and of a saved agent.
 */
async function outputOf(
  { agent: { policy }, device, memory, models, progress, store }: OpenRun,
  rollouts: OpenRolloutsAhead | undefined,
  config: AlgorithmConfig,
  { directory, ranks = oneRank }: TaskContext,
  logger: RunOutput['logger'],
): Promise<RunOutput> {
  const leads = ranks.rank === 0;
  const files = leads
    ? await RunFiles.open(directory, progress?.fileLengths ?? {}, tokenTexts(policy.tokenizer))
    : silentFiles(directory);
  await ranks.barrier(); // all ranks wait until the files are cut to their lengths at the checkpoint
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
  return {
    files,
    logger,
    checkpoints: leads ? store : silentCheckpoints,
    saveable: leads ? written : silentSaveable(models.networks, models.critic),
    restoreAgent: async (folder) => {
      await restorePolicy(policy, folder, config, device);
      await models.critic?.restore(join(folder, 'critic'));
    },
  };
}

/**
 * Returns the sampler whose log-probabilities the diagnostics compare with those of the trainer. Returns null if no policy is
 * trained, if rollouts are played with other weights than the trainer's, or if the policy chooses among valid actions instead of
 * writing freely.
 */
function samplerOf(
  { unit, agent, source }: OpenRun,
  isAhead: boolean,
  config: AlgorithmConfig,
  context: TaskContext,
): Sampler | null {
  const { actionChoice = 'free' } = agent.dialogues;
  const isApart = source.hasOwnSampler || isAhead || (config.remotePolicy?.baseUrl ?? null) !== null;
  if (!unit.trainsPolicy || unit.playsWithCritic || isApart || actionChoice !== 'free') return null;
  const { sampling } = playOptions(config, agent.policy.tokenizer);
  const player = { ...agent, samplesIntegers: samplesIntegers(config) };
  return { openPlayer: (slots) => unit.openPlayer(player, { slots }), sampling, ranks: context.ranks };
}

/**
 * Returns the seconds in which the ranks waited for each other's gradients and exchanged them. The phases with optimizer steps
 * include these times.
 */
function exchangeSeconds(device: Device): Record<string, number> {
  const { wait, exchange } = takeExchangeTimes(device);
  return { 'gradient wait': wait / 1000, 'gradient exchange': exchange / 1000 };
}
