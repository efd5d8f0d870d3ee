// task=train: the start, then the chosen algorithm, then the final test. It can be killed and started again at any time.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findAlgorithm, rateFollowsIterations, type Agent } from '@bowyer/algorithms';
import { oneRank, onRankZero, overrideWord, shellQuoted, timed, writeFileAtomically } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import type { RunLogger } from '@bowyer/logging';
import {
  deviceOf,
  dialoguesOf,
  referenceOf,
  teacherOf,
  startRestorer,
  withRolloutsAhead,
  warnOfTextRules,
  datasetFor,
  AgentMemory,
} from '@bowyer/agent';
import { checkSharedFolder } from '../../run/shared-folder.js';
import { silentLogger } from '../../run/silent.js';
import { checkpointsOf, type CheckpointProgress } from '../../run/checkpoint-progress.js';
import { owningFolder } from '../../run/folder-owner.js';
import { guardReason } from '../../run/guard.js';
import { checkLoggers, withLoggers } from '../../run/open-loggers.js';
import { resultText, type RunResults } from '../../run/results.js';
import { claimDirectory, openDirectory, RunFiles } from '../../run/run-files.js';
import { REPORT_FILE, withReport } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import { FinalTest } from './final-test.js';
import { fillMemory, findStart } from './find-start.js';
import { runAlgorithm } from './run-algorithm.js';
import type { TrainConfig } from './train-config.js';
import { TrainedModels } from './trained-models.js';

export async function train(config: TrainConfig, context: TaskContext): Promise<void> {
  const { directory, decisive, ranks = oneRank } = context;
  // Rank 0 alone writes, so it alone owns the folder.
  if (ranks.rank === 0) await openDirectory(directory, decisive);
  await checkSharedFolder(directory, ranks);
  if (ranks.rank > 0) return trainInFolder(config, context);
  await owningFolder(directory, 'run', context.log, () => trainInFolder(config, context));
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
      context.log(`stopped; the same command with ${shellQuoted(overrideWord('save_path', directory))} resumes it`);
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
  const store = checkpointsOf(directory);
  const found = await onRankZero(ranks, () => store.newest((warning) => log(warning, 'WARNING')));
  if (found) refuseOtherLength(found.progress, config);
  if (found)
    log(
      `resumed after ${found.progress.nextIteration}${config.iterations === undefined ? '' : ` of ${config.iterations} iterations`}`,
    );

  const checkpoint = found?.folder ?? null;
  const folder = checkpoint === null ? start.folder : join(checkpoint, 'policy');
  if (memory) await fillMemory(memory, checkpoint, start, config, log);
  if (folder !== null && unit.needs.source === 'episodes') await warnOfTextRules(folder, log);
  const models = await TrainedModels.open(unit, start, checkpoint, config, device);
  const { policy, critic } = models;
  try {
    const dataset = start.data && (await datasetFor(policy, start.data, config, log));
    if (ranks.rank === 0) await claimDirectory(directory, decisive);
    const agent: Agent = { policy, critic, dialogues: await dialoguesOf(policy, config, context) };
    const ahead = {
      unit,
      agent,
      policyFolder: folder!,
      checkpoint,
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
          models,
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
    await models.release();
  }
}

/** Figures of the policy that the run ended with; null where the user stopped it. */
const finalFigures = (results: RunResults | null) => results && (results.policies.at(-1)?.metrics ?? {});

async function readResults(directory: string): Promise<RunResults | null> {
  const text = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as RunResults);
}
