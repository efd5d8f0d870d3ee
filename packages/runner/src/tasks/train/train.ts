// task=train: the start, then the chosen algorithm, then the final test. It can be killed and started again at any time.
import { join } from 'node:path';
import { copyFile, readFile } from 'node:fs/promises';
import {
  Diagnostics,
  findAlgorithm,
  rateFollowsIterations,
  type Agent,
  type AnyAlgorithm,
  type Dataset,
  type RecipeState,
  type TrainingRun,
} from '@bowyer/algorithms';
import { oneRank, onRankZero, timed, writeFileAtomically } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import type { RunLogger } from '@bowyer/logging';
import { takeExchangeTimes, type LanguageModel } from '@bowyer/models';
import { makeCritic } from '../../agent/critic-setup.js';
import { deviceOf } from '../../agent/device-choice.js';
import { freshPolicy } from '../../agent/fresh-policy.js';
import { memoryFileOf, runOf } from '../../agent/model-folders.js';
import { dialoguesOf } from '../../agent/players.js';
import { recipeOptions } from '../../agent/play-options.js';
import { loadPolicy, policyOptimizer, restoreOptimizer, savePolicyState } from '../../agent/policy-setup.js';
import { warnOfTextRules } from '../../agent/text-rules.js';
import { referenceOf, teacherOf, type Start } from '../../agent/reference-policy.js';
import { withRemoteRollouts } from '../../agent/remote-rollouts.js';
import { withRolloutsAhead, type RolloutsAhead } from '../../agent/rollouts-ahead.js';
import { startRestorer } from '../../agent/restore-start.js';
import { makeValueModel } from '../../agent/value-model.js';
import { warmStart } from '../../agent/warm-start.js';
import { makeDemonstrations } from '../../demonstrations/demonstrations.js';
import { datasetFor, loadMaterial } from '../../demonstrations/material.js';
import { agentEnvironment } from '../../environment/agent-context.js';
import { AgentMemory } from '../../environment/agent-memory.js';
import { environmentOf } from '../../environment/environment.js';
import { CheckpointStore, type CheckpointProgress } from '../../run/checkpoint-store.js';
import { owningFolder } from '../../run/folder-owner.js';
import { guardReason } from '../../run/guard.js';
import { checkLoggers, withLoggers } from '../../run/open-loggers.js';
import { Recorder } from '../../run/recorder.js';
import { RunControl } from '../../run/run-control.js';
import { resultText, type RunResults } from '../../run/results.js';
import { claimDirectory, openDirectory, RunFiles } from '../../run/run-files.js';
import { tokenTexts } from '../../run/token-texts.js';
import { checkSharedFolder } from '../../ranks/shared-folder.js';
import { silentCheckpoints, silentFiles, silentLogger, silentSaveable } from '../../ranks/silent.js';
import { REPORT_FILE, withReport } from '../../run/write-report.js';
import type { TaskContext } from '../task.js';
import { failureLog, FinalTest } from './final-test.js';
import type { TrainConfig } from './train-config.js';

export async function train(config: TrainConfig, context: TaskContext): Promise<void> {
  const { directory, decisive, ranks = oneRank } = context;
  // Rank 0 alone writes, so it alone owns the folder.
  if (ranks.rank === 0) await openDirectory(directory, decisive);
  await checkSharedFolder(directory, ranks);
  if (ranks.rank > 0) return trainInFolder(config, context);
  await owningFolder(directory, 'run', () => trainInFolder(config, context));
}

async function trainInFolder(config: TrainConfig, context: TaskContext): Promise<void> {
  const { directory, print, ranks = oneRank } = context;
  refuseAheadOnRanks(config, ranks.size);
  const finished = await readResults(directory);
  await refuseStopped(finished, config, context);
  if (finished !== null && finished.iterations >= (config.iterations ?? finished.iterations)) {
    print(`this run is finished already: ${directory}\n\n${resultText(finished)}\n`);
    return;
  }
  await ranks.barrier(); // every rank has looked for results before there can be new ones
  if (ranks.rank > 0) return trainOnDevice(config, context).then(() => undefined);
  checkLoggers(config);
  await withReport(context, async () => {
    const results = await trainOnDevice(config, context);
    if (results === null) {
      context.log(`stopped; the same command with save_path=${directory} resumes it`);
      return 'interrupted';
    }
    await writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
    context.progress.report?.({ event: 'results', ...results });
    const [agent, report] = [join(directory, 'checkpoints', 'best'), join(directory, REPORT_FILE)];
    print(`\n${resultText(results)}\n\nagent: ${agent}\nreport: ${report}\n`);
    return results.stopped === undefined ? 'finished' : 'stopped by the guard';
  });
  await refuseStopped(await readResults(directory), config, context);
}

/** @throws where a copy of the policy is to play on each of several processes */
function refuseAheadOnRanks({ rollout }: TrainConfig, size: number): void {
  if (size === 1 || rollout === undefined || rollout.mode === 'synchronous') return;
  throw new Error(
    `rollout.mode=${rollout.mode} on ${size} processes: rollouts are played ahead on one process only\n` +
      '  start it without mpirun, or write rollout.mode=synchronous',
  );
}

async function trainOnDevice(config: TrainConfig, context: TaskContext): Promise<RunResults | null> {
  const { ranks = oneRank } = context;
  const { shardOptimizer } = config.distributed;
  const device = await openDevice({ ...deviceOf(config), ranks, shardsOptimizers: shardOptimizer });
  try {
    return await trainOn(device, config, context);
  } finally {
    await device.close();
  }
}

/** @throws if the guard has stopped the run and its bounds are still such that it would */
async function refuseStopped(
  results: RunResults | null,
  { guard }: TrainConfig,
  { directory }: TaskContext,
): Promise<void> {
  if (results?.stopped === undefined || guard === undefined) return;
  const { metrics } = await RunFiles.read(directory);
  if (guardReason(metrics.at(-1)!, guard) === null) return;
  throw new Error(
    `the guard stopped this run ${results.stopped}; its checkpoint is in ${directory}\n` +
      '  to resume it give the same command another bound, or null for none',
  );
}

/** A rate that falls over the iterations would jump where there are more of them: the run would equal no other. */
function refuseOtherLength(found: CheckpointProgress, config: TrainConfig): void {
  const { iterations, lmSchedule, lmLrFinalShare = 1 } = config;
  const before = found.iterations ?? iterations;
  if (iterations === before || lmSchedule === undefined) return;
  if (!rateFollowsIterations({ lmSchedule, lmLrFinalShare })) return;
  throw new Error(
    `iterations: ${before} → ${iterations}: the learning rate of this run follows lm_schedule over ${before} iterations, so with ` +
      `${iterations} it would be neither the run that it was nor one of ${iterations} iterations\n` +
      `  give iterations=${before}, or begin a new run in another folder: save_path=FOLDER; a run with lm_schedule.kind=constant ` +
      'can be made longer at any time',
  );
}

/** @returns null if the user stopped the run before its end */
async function trainOn(device: Device, config: TrainConfig, context: TaskContext): Promise<RunResults | null> {
  const memory = await AgentMemory.open(config, device);
  try {
    return await trainWith(memory, device, config, context);
  } finally {
    await memory?.release();
  }
}

async function trainWith(
  memory: AgentMemory | null,
  device: Device,
  config: TrainConfig,
  context: TaskContext,
): Promise<RunResults | null> {
  const unit = findAlgorithm(config.agentType)!;
  const start = await timed('phase', 'start', () => findStart(unit, config, device, context, memory));
  if (start === null) return null;
  const { directory, decisive, log, ranks = oneRank } = context;
  const store = new CheckpointStore(join(directory, 'checkpoints'));
  const found = await onRankZero(ranks, () => store.newest((warning) => log(warning, 'WARNING')));
  if (found) refuseOtherLength(found.progress, config);
  if (found)
    log(
      `resumed after ${found.progress.nextIteration}${config.iterations === undefined ? '' : ` of ${config.iterations} iterations`}`,
    );

  const folder = found ? join(found.folder, 'policy') : start.folder;
  if (memory) await fillMemory(memory, found?.folder ?? null, start, config, log);
  const policy =
    folder === null
      ? await freshPolicy(start.material!, config, device)
      : await loadPolicy(folder, config, device, 'train');
  if (folder !== null && unit.needs.source === 'episodes') await warnOfTextRules(folder, log);
  const critic = unit.needs.critic && (await makeCritic(config, device, policy.tokenizer));
  let valueModel: LanguageModel | null = null;
  try {
    await policy.createOptimizer(policyOptimizer(config));
    const valueFunction = unit.valueFunction?.(config as never);
    if (valueFunction) {
      const valueFolder = found ? join(found.folder, VALUE_MODEL) : start.folder!;
      valueModel = await makeValueModel(valueFunction, policy, valueFolder, config, device);
    }
    if (found) {
      await restoreOptimizer(policy, join(found.folder, 'policy'));
      if (valueModel !== null && valueModel !== policy)
        await restoreOptimizer(valueModel, join(found.folder, VALUE_MODEL));
      await critic?.restore(join(found.folder, 'critic'));
    }
    const dataset = start.material && (await datasetFor(policy, start.material, config, log));
    if (ranks.rank === 0) await claimDirectory(directory, decisive);
    const agent: Agent = { policy, critic, dialogues: await dialoguesOf(policy, config, context) };
    const ahead = {
      ...{ unit, agent, policyFolder: folder!, checkpoint: found?.folder ?? null },
      firstIteration: found?.progress.nextIteration ?? 0,
    };
    const algorithm = (logger: RunLogger) =>
      withRolloutsAhead(config, ahead, (rollouts) =>
        runAlgorithm(unit, agent, dataset, {
          logger,
          rollouts,
          config,
          context,
          memory,
          store,
          progress: found?.progress ?? null,
          valueModel,
          openReference: referenceOf(policy, start, config, device),
          openTeacher: teacherOf(policy, config, device),
          restoreStart: startRestorer(policy, start, config, device),
          device,
        }),
      );
    const work = async (logger: RunLogger) => {
      const recorder = await algorithm(logger);
      if (recorder.stopRequested && recorder.stoppedByGuard === null) return null;
      context.onInterrupt(null); // the training is saved: a signal ends the process, and a resumed run repeats the test
      const test = new FinalTest(unit, config, context, device, memory);
      return timed('phase', 'test', () => test.run(agent, start.folder, recorder));
    };
    if (ranks.rank > 0) return await work(silentLogger);
    return await withLoggers(config, context, found?.progress.nextIteration ?? 0, work, finalFigures);
  } finally {
    await critic?.release();
    await valueModel?.release();
    await policy.release();
  }
}

/** Figures of the policy that the run ended with; null where the user stopped it. */
const finalFigures = (results: RunResults | null) => results && (results.policies.at(-1)?.metrics ?? {});

/** Folder of a checkpoint with the network of the value function, where it is not the policy. */
const VALUE_MODEL = 'value';

/** @returns null if the user stopped the warm start */
async function findStart(
  unit: AnyAlgorithm,
  config: TrainConfig,
  device: Device,
  context: TaskContext,
  memory: AgentMemory | null,
): Promise<Start | null> {
  const given = config.checkpointPath ?? config.policyLm;
  const trainedIn = given === null ? undefined : runOf(given)?.env?.name;
  if (trainedIn !== undefined && trainedIn !== config.env.name)
    context.log(`the policy in ${given} was trained in ${trainedIn}; this run plays ${config.env.name}`, 'WARNING');
  if (unit.needs.source === 'dataset')
    return { folder: given, material: await loadMaterial(config, memory, context.log) };
  // Rank 0 makes the start alone; it is the same for any number of ranks, and in the cache.
  const folder = given ?? (await onRankZero(context.ranks ?? oneRank, () => warmStart(config, device, context)));
  if (folder === null) return null;
  // The loss of the start, for the report: the cache may be emptied.
  if (given === null && (context.ranks ?? oneRank).rank === 0)
    await copyFile(join(folder, 'metrics.jsonl'), join(context.directory, 'warm-start.jsonl'));
  return { folder, material: unit.needs.dataset ? await loadMaterial(config, memory, context.log) : null };
}

/** What is in memory as the run begins or resumes: that of its checkpoint, of the agent it starts from, or of the demonstrations. */
async function fillMemory(
  memory: AgentMemory,
  checkpoint: string | null,
  { folder, material }: Start,
  config: TrainConfig,
  log: TaskContext['log'],
): Promise<void> {
  if (checkpoint !== null) return memory.restore(memoryFileOf(checkpoint)!);
  if (!config.memory!.demonstrations || material !== null) return;
  const ofAgent = (config.checkpointPath ?? config.policyLm) === null ? null : memoryFileOf(folder!);
  if (ofAgent !== null) return memory.restore(ofAgent);
  log(memory.addDemonstrations(config, await makeDemonstrations(config)));
}

interface RunState {
  device: Device;
  logger: RunLogger;
  config: TrainConfig;
  context: TaskContext;
  memory: AgentMemory | null;
  store: CheckpointStore;
  /** Null where the run begins. */
  progress: NonNullable<Awaited<ReturnType<CheckpointStore['newest']>>>['progress'] | null;
  openReference: TrainingRun['openReference'];
  openTeacher: TrainingRun['openTeacher'];
  restoreStart: TrainingRun['restoreStart'];
  valueModel: LanguageModel | null;
  rollouts: RolloutsAhead | undefined;
}

/** Runs the algorithm to its end or to the user's stop. */
async function runAlgorithm(
  unit: AnyAlgorithm,
  agent: Agent,
  dataset: Dataset | null,
  runState: RunState,
): Promise<Recorder> {
  const { device, logger, config, context, memory, store, progress, valueModel, rollouts } = runState;
  const { openReference, openTeacher, restoreStart } = runState;
  const { directory, log, envParts, onInterrupt, ranks = oneRank } = context;
  const { policy, critic } = agent;
  const leads = ranks.rank === 0;
  const files = leads
    ? await RunFiles.open(directory, progress?.fileLengths ?? {}, tokenTexts(policy.tokenizer))
    : silentFiles(directory);
  await ranks.barrier(); // the files end where the run resumes
  const state: RecipeState = progress?.state ?? {};
  const firstIteration = progress?.nextIteration ?? 0;
  const written = {
    saveState: async (folder: string) => {
      await savePolicyState(policy, join(folder, 'policy'));
      if (valueModel !== null && valueModel !== policy) await savePolicyState(valueModel, join(folder, VALUE_MODEL));
      await critic?.save(join(folder, 'critic'));
      await rollouts?.save(folder);
      await memory?.save(folder);
    },
    saveAgent: async (folder: string) => {
      await policy.save(folder);
      await critic?.save(join(folder, 'critic'));
      await memory?.save(folder);
    },
  };
  const models = valueModel !== null && valueModel !== policy ? [policy, valueModel] : [policy];
  const saveable = leads ? written : silentSaveable(models, critic);
  const diagnostics =
    config.diagnostics && new Diagnostics({ policy, openReference }, { ...config.diagnostics, seed: config.seed });
  const control = leads ? await RunControl.open(directory, log, () => (recorder.stopRequested = true)) : undefined;
  const recorder = new Recorder(files, leads ? store : silentCheckpoints, saveable, {
    iterations: config.iterations ?? null,
    saveMinutes: config.saveMinutes ?? null,
    firstIteration,
    state,
    best: progress?.best ?? null,
    progress: context.progress,
    log,
    diagnostics,
    guard: config.guard,
    logger,
    ranks,
    control,
    innerSeconds: rollouts ? () => rollouts.takeSeconds() : ranks.size > 1 ? () => exchangeSeconds(device) : undefined,
    rolloutMetrics: rollouts && (() => rollouts.takeMetrics()),
  });
  const stop = () => {
    recorder.stopRequested = true;
    control?.endPause();
  };
  onInterrupt(stop, 'stopping at the next checkpoint');
  const { metrics, rollouts: history } = await RunFiles.read(directory);
  recorder.remember(metrics);
  const run: TrainingRun = {
    ...agent,
    makeEnv: agentEnvironment(config, environmentOf(config, envParts), memory?.memory ?? null),
    together: config.memory?.kind === 'encoder', // which answers after a while
    onFailure: failureLog(log),
    onRollout: async (rollout, iteration) => {
      await diagnostics?.onRollout(rollout, iteration);
      recorder.progress('diagnostics', 1, 1);
      memory?.addRollout(rollout);
    },
    onEvaluation: (episodes) => recorder.evaluated(episodes),
    ...{ dataset, history, state, firstIteration, hooks: recorder, valueModel },
    ...{ openReference, openTeacher, restoreStart },
    environment: config.env.name,
    ...{ ranks, replayPlacement: config.distributed.replay, rollouts },
  };
  const trained = withRemoteRollouts(config.remotePolicy, { ...agent, slots: config.slots }, (openRollouts) =>
    unit.train({ ...run, openRollouts }, recipeOptions(config, policy.tokenizer)),
  );
  await trained.finally(() => control?.close());
  recorder.finish();
  // A run without an evaluation has no best agent: its last one is what it made.
  if (recorder.best === null && (!recorder.stopRequested || recorder.stoppedByGuard !== null))
    await saveable.saveAgent(recorder.bestFolder);
  return recorder;
}

/** Parts of the phases in which there are optimizer steps. */
function exchangeSeconds(device: Device): Record<string, number> {
  const { wait, exchange } = takeExchangeTimes(device);
  return { 'gradient wait': wait / 1000, 'gradient exchange': exchange / 1000 };
}

async function readResults(directory: string): Promise<RunResults | null> {
  const text = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as RunResults);
}
