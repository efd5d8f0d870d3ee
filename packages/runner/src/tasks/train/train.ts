// task=train: the start, then the chosen algorithm, then the final test. It can be killed and started again at any time.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findAlgorithm, rateFollowsIterations, type Agent } from '@bowyer/algorithms';
import { oneRank, onRankZero, overrideWord, shellQuoted, timed, writeFileAtomically } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { RunLogger } from '@bowyer/logging';
import { AgentMemory, datasetFor, deviceOf, warnOfTextRules, withRolloutsAhead } from '@bowyer/agent';
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
import { Opened } from './opened.js';
import { FinalTest } from './final-test.js';
import { fillMemory, findStart } from './find-start.js';
import { runAlgorithm } from './run-algorithm.js';
import { environmentStage, type MakeStage } from './stage.js';
import type { TrainConfig } from './train-config.js';
import { TrainedModels } from './trained-models.js';

/** @param makeStage of what is played in place of the config's environment */
export async function train(
  config: TrainConfig,
  context: TaskContext,
  makeStage: MakeStage<TrainConfig> = environmentStage,
): Promise<void> {
  const { directory, ranks = oneRank } = context;
  // Rank 0 alone writes, so it alone owns the folder.
  if (ranks.rank === 0) await openDirectory(directory, context.config.decisive);
  await checkSharedFolder(directory, ranks);
  if (ranks.rank > 0) return trainInFolder(config, context, makeStage);
  await owningFolder(directory, 'run', context.log, () => trainInFolder(config, context, makeStage));
}

async function trainInFolder(
  config: TrainConfig,
  context: TaskContext,
  makeStage: MakeStage<TrainConfig>,
): Promise<void> {
  const { directory, print, ranks = oneRank } = context;
  refuseAheadOnRanks(config, ranks.size);
  const finished = await readResults(directory);
  await refuseStopped(finished, config, context);
  if (
    finished !== null &&
    (isEnded(finished) || finished.iterations >= (config.algorithm.iterations ?? finished.iterations))
  ) {
    context.log(`this run is finished already: ${directory}; another save_path makes a new one`);
    print(`\n${resultText(finished)}\n`);
    return;
  }
  await ranks.barrier(); // every rank has looked for results before there can be new ones
  if (ranks.rank > 0) return trainAndTest(config, context, makeStage).then(() => undefined);
  checkLoggers(config);
  await withReport(context, async () => {
    const results = await trainAndTest(config, context, makeStage);
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

/** More iterations do not continue a watched run that has ended for a reason. */
const isEnded = ({ ended }: RunResults): boolean => ended !== undefined;

/** @throws where a copy of the policy is to play on each of several processes */
function refuseAheadOnRanks({ rollout }: Pick<TrainConfig, 'rollout'>, size: number): void {
  if (size === 1 || rollout === undefined || rollout.mode === 'synchronous') return;
  throw new Error(
    `rollout.mode=${rollout.mode} on ${size} processes: rollouts are played ahead on one process only\n` +
      '  start it without mpirun, or write rollout.mode=synchronous',
  );
}

/** @throws if the guard has stopped the run and its bounds are still such that it would */
async function refuseStopped(
  results: RunResults | null,
  { guard }: Pick<TrainConfig, 'guard'>,
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

/** The keys that decide how long a run is, and how its rate falls. */
type LengthConfig = Pick<TrainConfig, 'algorithm'>;

/** A rate that falls over the iterations would jump where there are more of them: the run would equal no other. */
function refuseOtherLength(found: CheckpointProgress, { algorithm: { iterations, actor } }: LengthConfig): void {
  const before = found.iterations ?? iterations;
  if (iterations === before || actor?.schedule === undefined) return;
  if (!rateFollowsIterations(actor.schedule)) return;
  throw new Error(
    `iterations: ${before} → ${iterations}: the learning rate of this run follows algorithm.actor.schedule over ${before} iterations, so with ` +
      `${iterations} it would equal neither the run that it was nor a run of ${iterations} iterations from the start\n` +
      `  give iterations=${before}, or begin a new run in another folder: save_path=FOLDER; a run with algorithm.actor.schedule.kind=constant ` +
      'can be made longer at any time',
  );
}

/** The run from its start to its final test. @returns null if the user stopped it before its end */
async function trainAndTest(
  config: TrainConfig,
  context: TaskContext,
  makeStage: MakeStage<TrainConfig>,
): Promise<RunResults | null> {
  const { directory, log, ranks = oneRank } = context;
  const unit = findAlgorithm(config.agentType)!;
  const opened = new Opened();
  try {
    const { shardOptimizer } = config.distributed;
    const device = opened.add(
      await openDevice({ ...deviceOf(config), ranks, shardsOptimizers: shardOptimizer }),
      (own) => own.close(),
    );
    const memory = opened.add(await AgentMemory.open(config, device), (own) => own?.release());
    const stage = makeStage(config, context, memory);
    const start = await timed('phase', 'start', () => findStart(unit, config, device, context, memory));
    if (start === null) return null;

    const store = checkpointsOf(directory);
    const found = await onRankZero(ranks, () => store.newest((warning) => log(warning, 'WARNING')));
    if (found) checkResumed(found.progress, config, log);
    const checkpoint = found?.folder ?? null;
    const folder = checkpoint === null ? start.folder : join(checkpoint, 'policy');
    if (memory) await fillMemory(memory, checkpoint, start, config, log);
    if (folder !== null && unit.needs.source === 'episodes') await warnOfTextRules(folder, log);

    const models = opened.add(await TrainedModels.open(unit, start, checkpoint, config, device), (own) =>
      own.release(),
    );
    const { policy, critic } = models;
    const dataset = start.data && (await datasetFor(policy, start.data, config, log));
    if (ranks.rank === 0) await claimDirectory(directory, context.config.decisive);
    const agent: Agent = { policy, critic, dialogues: await stage.dialogues(policy) };
    const progress = found?.progress ?? null;
    const firstIteration = progress?.nextIteration ?? 0;
    const ahead = { unit, agent, policyFolder: folder!, checkpoint, firstIteration };

    const work = async (logger: RunLogger) => {
      const run = {
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
      };
      const recorder = await withRolloutsAhead(config, ahead, (rollouts) => runAlgorithm({ ...run, rollouts }));
      if (recorder.stopRequested && recorder.stoppedByGuard === null && recorder.ended === null) return null;
      context.onInterrupt(null); // the training is saved: a signal ends the process, and a resumed run repeats the test
      const test = new FinalTest(unit, config, context, device, memory, stage);
      return timed('phase', 'test', () => test.run(agent, start.folder, recorder));
    };
    if (ranks.rank > 0) return await work(silentLogger);
    return await withLoggers(config, context, firstIteration, work, finalFigures);
  } finally {
    await opened.close();
  }
}

function checkResumed(progress: CheckpointProgress, config: LengthConfig, log: TaskContext['log']): void {
  refuseOtherLength(progress, config);
  const all = config.algorithm.iterations === undefined ? '' : ` of ${config.algorithm.iterations} iterations`;
  log(`resumed after ${progress.nextIteration}${all}`);
}

/** Figures of the policy that the run hands out, or ended with; null where the user stopped it. */
const finalFigures = (results: RunResults | null) => {
  if (results === null) return null;
  const { handedOut, policies } = results;
  const isStart = handedOut !== undefined && handedOut.verdict !== 'improved';
  return (isStart ? policies[0] : policies.at(-1))?.metrics ?? {};
};

async function readResults(directory: string): Promise<RunResults | null> {
  const text = await readFile(join(directory, 'results.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as RunResults);
}
