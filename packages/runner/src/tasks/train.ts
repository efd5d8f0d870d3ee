// task=train: warm start, then the chosen algorithm, then the final test. Everything can be killed and started again.
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import {
  archer,
  chai,
  criticCalibration,
  evaluate,
  onlineFilteredBc,
  BestOfNPlayer,
  PolicyPlayer,
  SharedClip,
  type OpenPlayer,
  type ReplayItem,
} from '@bowyer/algorithms';
import { ReplayBuffer, writeFileAtomically, type Trajectory } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import { CheckpointStore, type CheckpointProgress } from '../checkpoint-store.js';
import { makeCritic } from '../critic-setup.js';
import { environmentOf, optimalReturnOf } from '../environments.js';
import { adam, loadPolicy, restorePolicy, savePolicyState } from '../policy-setup.js';
import { playOptions, recipeOptions } from '../recipe-options.js';
import { Recorder } from '../recorder.js';
import { resultText, type RunResults } from '../results.js';
import { claimDirectory, RunFiles } from '../run-files.js';
import type { RunConfig } from '../run-config.js';
import { writeReport } from '../write-report.js';
import { warmStart } from '../warm-start.js';
import type { TaskContext } from './task.js';

export async function train(config: RunConfig, context: TaskContext): Promise<void> {
  const { directory, output } = context;
  await claimDirectory(directory, decisive(config));
  const finished = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  if (finished !== null) {
    output.write(`this run is finished already: ${directory}\n\n${resultText(JSON.parse(finished) as RunResults)}\n`);
    return;
  }
  const device = await openDevice({ device: config.device, threads: config.threads || undefined });
  try {
    const results = await trainOn(device, config, context);
    if (results === null) return;
    await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
    await writeReport(directory, config, context, results);
    output.write(`\n${resultText(results)}\n\nreport: ${join(directory, 'report.html')}\n`);
  } finally {
    await device.close();
  }
}

/** @returns null if the user stopped the run before its end */
async function trainOn(device: Device, config: RunConfig, context: TaskContext): Promise<RunResults | null> {
  const { directory, output } = context;
  const startFolder = config.checkpointPath ?? config.policyLm ?? (await warmStart(config, device, output));
  const policy = await loadPolicy(startFolder, config, device);
  const critic = ['archer', 'chai'].includes(config.agentType)
    ? await makeCritic(config, device, policy.tokenizer)
    : null;
  try {
    const recorder = await runRecipe(config, context, policy, critic);
    if (recorder !== null) return await finalTest(config, context, device, { startFolder, policy, critic, recorder });
    output.write(`\nstopped; start the same command with save_path=${directory} to go on\n`);
    return null;
  } finally {
    await critic?.release();
    await policy.release();
  }
}

/** Restores what an earlier process left, then runs the algorithm to its end or to the user's stop. */
async function runRecipe(
  config: RunConfig,
  { directory, output, onInterrupt }: TaskContext,
  policy: LanguageModel,
  critic: DoubleCritic | null,
): Promise<Recorder | null> {
  const store = new CheckpointStore(join(directory, 'checkpoints'));
  const found = await store.newest((warning) => output.write(`${warning}\n`));
  const progress: CheckpointProgress = found?.progress ?? {
    nextIteration: 0,
    fileLengths: {},
    best: null,
    clipLeftover: {},
  };
  const files = await RunFiles.open(directory, progress.fileLengths);
  const clip = new SharedClip(config.clipScope);
  clip.leftover = progress.clipLeftover;
  await policy.createOptimizer(adam);
  if (found) {
    output.write(`going on after iteration ${progress.nextIteration} of ${config.iterations}\n`);
    await restorePolicy(policy, join(found.folder, 'policy'));
    await critic?.restore(join(found.folder, 'critic'));
  }

  const saveable = {
    saveState: async (folder: string) => {
      await savePolicyState(policy, join(folder, 'policy'));
      await critic?.save(join(folder, 'critic'));
    },
    savePolicy: (folder: string) => policy.save(folder),
    clipLeftover: () => clip.leftover,
  };
  const recorder = new Recorder(files, store, saveable, {
    iterations: config.iterations,
    firstIteration: progress.nextIteration,
    best: progress.best,
    output,
  });
  onInterrupt(() => (recorder.stopRequested = true));

  const { rollouts: history } = await RunFiles.read(directory);
  const run = {
    policy,
    makeEnv: environmentOf(config),
    replay: refill(new ReplayBuffer<ReplayItem>(config.capacity), history),
    clip,
    firstIteration: progress.nextIteration,
    hooks: recorder,
  };
  const options = recipeOptions(config, policy.tokenizer);
  if (critic !== null) await (config.agentType === 'chai' ? chai : archer)({ ...run, critic }, options);
  else if (config.agentType === 'online_filteredbc') await onlineFilteredBc({ ...run, history }, options);
  recorder.finish();
  return recorder.stopRequested ? null : recorder;
}

/** The buffer as it was: insertion order is the order of the rollouts. */
function refill(replay: ReplayBuffer<ReplayItem>, history: readonly Trajectory[]): ReplayBuffer<ReplayItem> {
  for (const trajectory of history) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
  return replay;
}

interface Trained {
  startFolder: string;
  policy: LanguageModel;
  critic: DoubleCritic | null;
  recorder: Recorder;
}

/** Plays the start and the result on episodes that neither training nor the choice of the best policy has seen. */
async function finalTest(
  config: RunConfig,
  { output }: TaskContext,
  device: Device,
  { startFolder, policy, critic, recorder }: Trained,
): Promise<RunResults> {
  const makeEnv = environmentOf(config);
  const options = { ...playOptions(config, policy.tokenizer), evalSize: config.testSize, evalDoSample: true };
  const test = async (name: string, openPlayer: OpenPlayer) => {
    output.write(`testing the ${name} on ${config.testSize} held-out episodes\n`);
    const { metrics, trajectories } = await evaluate({ makeEnv, hooks: recorder }, openPlayer, options, 'test');
    return { name, metrics, trajectories };
  };
  const playerOf =
    (model: LanguageModel): OpenPlayer =>
    (sampling) =>
      PolicyPlayer.open(model, options.slots, sampling);
  const ranked: OpenPlayer = (sampling) =>
    BestOfNPlayer.open(policy, critic!, { slots: options.slots, candidates: config.numCandidates, sampling });
  const testSaved = async (name: string, folder: string) => {
    const model = await loadPolicy(folder, config, device);
    try {
      return await test(name, playerOf(model));
    } finally {
      await model.release();
    }
  };

  const tested = [await testSaved('warm start', startFolder)];
  const { best } = recorder;
  const isChai = config.agentType === 'chai';
  if (best !== null && !isChai) tested.push(await testSaved(`best (iteration ${best.iteration})`, recorder.bestFolder));
  const last = await test(isChai ? `best of ${config.numCandidates}` : 'last', isChai ? ranked : playerOf(policy));
  tested.push(last);
  // What the critic says is about the policy it was trained with: the last one.
  const calibration = critic && (await criticCalibration(critic, last.trajectories, config.gamma));

  return {
    policies: tested.map(({ name, metrics }) => ({ name, metrics })),
    optimalReturn: optimalReturnOf(config),
    calibration: calibration && {
      qMean: calibration['eval/q_mean'],
      discountedReturnMean: calibration['eval/discounted_return_mean'],
    },
  };
}

/** The part of the config that decides the numbers of a run: not where it is, nor how often it is saved. */
function decisive(config: RunConfig): Record<string, unknown> {
  const { savePath: _, cacheDir: __, saveFreq: ___, projectName: ____, runName: _____, ...rest } = config;
  return rest;
}
