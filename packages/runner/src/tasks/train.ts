// task=train: warm start, then the chosen algorithm, then the final test. Everything can be killed and started again.
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import {
  criticCalibration,
  evaluate,
  BestOfNPlayer,
  findAlgorithm,
  type OnFailure,
  type OpenPlayer,
} from '@bowyer/algorithms';
import { writeFileAtomically } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import { CheckpointStore, type CheckpointProgress } from '../checkpoint-store.js';
import { learnsFromConversations } from '../conversation-start.js';
import { makeCritic } from '../critic-setup.js';
import { environmentOf, optimalReturnOf } from '../environments.js';
import { dialoguesOf, playerOf } from '../players.js';
import { loadPolicy, policyOptimizer, restorePolicy, savePolicyState } from '../policy-setup.js';
import { playOptions, recipeOptions } from '../recipe-options.js';
import { Recorder } from '../recorder.js';
import { resultText, type RunResults } from '../results.js';
import { claimDirectory, openDirectory, RunFiles } from '../run-files.js';
import { deviceOf } from '../device-choice.js';
import type { RunConfig } from '../run-config.js';
import { writeReport } from '../write-report.js';
import { imitateFurther, warmStart } from '../warm-start.js';
import type { TaskContext } from './task.js';

export async function train(config: RunConfig, context: TaskContext): Promise<void> {
  const { directory, print } = context;
  await openDirectory(directory, decisive(config));
  const finished = await readResults(directory);
  if (finished !== null && finished.iterations >= config.iterations) {
    print(`this run is finished already: ${directory}\n\n${resultText(finished)}\n`);
    return;
  }
  const device = await openDevice(deviceOf(config));
  try {
    const results = await trainOn(device, config, context);
    if (results === null) return;
    await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
    await writeReport(directory, config, context, results);
    print(`\n${resultText(results)}\n\nreport: ${join(directory, 'report.html')}\n`);
  } finally {
    await device.close();
  }
}

/** @returns null if the user stopped the run before its end */
async function trainOn(device: Device, config: RunConfig, context: TaskContext): Promise<RunResults | null> {
  const given = learnsFromConversations(config) ? null : (config.checkpointPath ?? config.policyLm);
  const startFolder = given ?? (await warmStart(config, device, context));
  if (startFolder === null) return stopped(context);
  const claim = () => claimDirectory(context.directory, decisive(config));
  const folder = imitatesFurther(config)
    ? await imitateFurther(startFolder, config, device, context, claim)
    : startFolder;
  if (folder === null) return stopped(context);
  const policy = await loadPolicy(folder, config, device, 'train');
  const critic = ['archer', 'chai'].includes(config.agentType)
    ? await makeCritic(config, device, policy.tokenizer)
    : null;
  try {
    const recorder = await runRecipe(config, context, policy, critic);
    const changed = config.agentType !== 'bc' || folder !== startFolder;
    if (recorder !== null)
      return await finalTest(config, context, device, { startFolder, changed, policy, critic, recorder });
    return stopped(context);
  } finally {
    await critic?.release();
    await policy.release();
  }
}

function stopped({ log, directory }: TaskContext): null {
  log(`stopped; the same command with save_path=${directory} goes on from here`);
  return null;
}

/** Whether behaviour cloning has more to train than the warm start: adapters, or a model that was given. */
function imitatesFurther(config: RunConfig): boolean {
  const { agentType, useLora, checkpointPath, policyLm } = config;
  if (agentType !== 'bc' || learnsFromConversations(config)) return false;
  return useLora || (checkpointPath === null && policyLm !== null);
}

/** Restores what an earlier process left, then runs the algorithm to its end or to the user's stop. */
async function runRecipe(
  config: RunConfig,
  { directory, log, progress: progressOutput, onInterrupt, envParts }: TaskContext,
  policy: LanguageModel,
  critic: DoubleCritic | null,
): Promise<Recorder | null> {
  await claimDirectory(directory, decisive(config));
  const store = new CheckpointStore(join(directory, 'checkpoints'));
  const found = await store.newest((warning) => log(warning, 'WARNING'));
  const progress: CheckpointProgress = found?.progress ?? {
    nextIteration: 0,
    fileLengths: {},
    best: null,
    clipLeftover: {},
  };
  const files = await RunFiles.open(directory, progress.fileLengths);
  const state = { clip: progress.clipLeftover };
  await policy.createOptimizer(policyOptimizer(config));
  if (found) {
    log(`going on after iteration ${progress.nextIteration} of ${config.iterations}`);
    await restorePolicy(policy, join(found.folder, 'policy'));
    await critic?.restore(join(found.folder, 'critic'));
  }

  const saveable = {
    saveState: async (folder: string) => {
      await savePolicyState(policy, join(folder, 'policy'));
      await critic?.save(join(folder, 'critic'));
    },
    saveAgent: async (folder: string) => {
      await policy.save(folder);
      await critic?.save(join(folder, 'critic'));
    },
    clipLeftover: () => state.clip,
  };
  const recorder = new Recorder(files, store, saveable, {
    iterations: config.iterations,
    firstIteration: progress.nextIteration,
    best: progress.best,
    progress: progressOutput,
    log,
  });
  onInterrupt(() => (recorder.stopRequested = true), 'stopping after this iteration');

  const { rollouts: history } = await RunFiles.read(directory);
  const run = {
    policy,
    dialogues: await dialoguesOf(policy, config, { envParts, log }),
    makeEnv: environmentOf(config, envParts),
    onFailure: failureLog(log),
    critic,
    dataset: null,
    history,
    state,
    firstIteration: progress.nextIteration,
    hooks: recorder,
  };
  const options = recipeOptions(config, policy.tokenizer);
  const algorithm = findAlgorithm(config.agentType)!;
  if (algorithm.needs.source === 'episodes') await algorithm.train(run, options);
  recorder.finish();
  return recorder.stopRequested ? null : recorder;
}

/** A line for every episode that its environment failed; what is learnt and measured is of the others. */
const failureLog =
  (log: TaskContext['log']): OnFailure =>
  (error, episode) =>
    log(`${episode} failed and is left out: ${error.message}`, 'WARNING');

interface Trained {
  startFolder: string;
  /** False where behaviour cloning had nothing to train beyond the start. */
  changed: boolean;
  policy: LanguageModel;
  critic: DoubleCritic | null;
  recorder: Recorder;
}

/** Plays the start and the result on episodes that neither training nor the choice of the best policy has seen. */
async function finalTest(
  config: RunConfig,
  { log, progress, envParts }: TaskContext,
  device: Device,
  { startFolder, changed, policy, critic, recorder }: Trained,
): Promise<RunResults> {
  const makeEnv = environmentOf(config, envParts);
  const options = { ...playOptions(config, policy.tokenizer), evalSize: config.testSize, evalDoSample: true };
  const test = async (name: string, openPlayer: OpenPlayer) => {
    log(`testing the ${name} policy on ${config.testSize} held-out episodes`);
    const bar = new ProgressBar('episodes', config.testSize, progress);
    const hooks = { progress: (_: string, done: number) => bar.update(done) };
    const { metrics, trajectories } = await evaluate(
      { makeEnv, hooks, onFailure: failureLog(log) },
      openPlayer,
      options,
      'test',
    );
    bar.finish();
    return { name, metrics, trajectories };
  };
  const plain = (model: LanguageModel): OpenPlayer => playerOf(model, config, { envParts, log });
  const ranked =
    (model: LanguageModel): OpenPlayer =>
    async (sampling) =>
      BestOfNPlayer.open(model, critic!, {
        ...{ slots: options.slots, candidates: config.numCandidates, sampling },
        dialogues: await dialoguesOf(model, config, { envParts, log }),
      });
  const trained = config.agentType === 'chai' ? ranked : plain;
  const testFrom = async (name: string, folder: string, player: (model: LanguageModel) => OpenPlayer) => {
    const model = await loadPolicy(folder, config, device);
    try {
      return await test(name, player(model));
    } finally {
      await model.release();
    }
  };

  const last = changed ? await test('last', trained(policy)) : null;
  await policy.release(); // one policy at a time, since memory may hold a large base only once
  const start = await testFrom('warm start', startFolder, plain);
  // Unchanged, it is the same policy on the same episodes with the same random numbers: what comes out is known.
  const tested = [start, last ?? { ...start, name: 'last' }];
  const { best } = recorder;
  if (best !== null) {
    await critic?.restore(join(recorder.bestFolder, 'critic'));
    tested.push(await testFrom(`best (iteration ${best.iteration})`, recorder.bestFolder, trained));
  }
  // The critic's values are those of the policy it was saved with.
  const calibration = critic && (await criticCalibration(critic, tested.at(-1)!.trajectories, config.gamma));

  return {
    iterations: config.iterations,
    policies: tested.map(({ name, metrics }) => ({ name, metrics })),
    optimalReturn: optimalReturnOf(config),
    calibration: calibration && {
      qMean: calibration['eval/q_mean'],
      discountedReturnMean: calibration['eval/discounted_return_mean'],
    },
  };
}

async function readResults(directory: string): Promise<RunResults | null> {
  const text = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as RunResults);
}

/**
 * The part of the config that decides the numbers of a run: not where it is, how often it is saved, or how a sweep starts it.
 * `iterations` may grow: the run then goes on from where it was.
 */
function decisive(config: RunConfig): Record<string, unknown> {
  const apart = ['savePath', 'cacheDir', 'saveFreq', 'projectName', 'runName', 'iterations', 'launcher', 'sweeper'];
  const { saveMinutes: _, ...warmStart } = config.warmStart;
  return Object.fromEntries(Object.entries({ ...config, warmStart }).filter(([key]) => !apart.includes(key)));
}
