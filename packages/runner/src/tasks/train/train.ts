// Implements task=train: prepares the agent, runs the algorithm, and plays the final test. The command can be killed at any time;
// the same command resumes the run.
import { join } from 'node:path';
import { InterruptedError } from '@bowyer/algorithms';
import { oneRank, overrideWord, shellQuoted, timed } from '@bowyer/core';
import { checkSharedFolder } from '../../run/shared-folder.js';
import { silentLogger } from '../../run/silent.js';
import { owningRun } from '../../run/owning-run.js';
import { guardReason } from '../../run/guard.js';
import { checkLoggers, RunLoggers } from '../../run/open-loggers.js';
import type { Recorder } from '../../run/recorder.js';
import { readResults, resultText, writeResults, type RunResults } from '../../run/results.js';
import { openDirectory, RunFiles } from '../../run/run-files.js';
import { REPORT_FILE, withReport } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import { FinalTest } from './final-test.js';
import { openRun, type OpenRun } from './open-run.js';
import { runAlgorithm } from './run-algorithm.js';
import { environmentSource, type MakeRolloutSource } from './rollout-source.js';
import type { TrainConfig } from './train-config.js';

/** @param makeSource makes the source of rollouts that replaces the environment of the config, for a user's agent */
export async function train(
  config: TrainConfig,
  context: TaskContext,
  makeSource: MakeRolloutSource<TrainConfig> = environmentSource,
): Promise<void> {
  const { directory, ranks = oneRank } = context;
  // Rank 0 alone writes files, so that it alone locks the run's folder.
  if (ranks.rank === 0) await openDirectory(directory, context.config.decisive);
  await checkSharedFolder(directory, ranks);
  if (ranks.rank > 0) return trainInFolder(config, context, makeSource);
  await owningRun(context, () => trainInFolder(config, context, makeSource));
}

async function trainInFolder(
  config: TrainConfig,
  context: TaskContext,
  makeSource: MakeRolloutSource<TrainConfig>,
): Promise<void> {
  const { directory, print, ranks = oneRank } = context;
  refuseAheadOnRanks(config, ranks.size);
  const finished = await readResults<RunResults>(directory);
  await refuseStopped(finished, config, context);
  if (
    finished !== null &&
    // A run that the config node `watch` has ended is finished, even if the config now has more iterations.
    (finished.ended !== undefined || finished.iterations >= (config.algorithm.iterations ?? finished.iterations))
  ) {
    context.log(`this run is finished already: ${directory}; another save_path makes a new one`);
    print(`\n${resultText(finished)}\n`);
    return;
  }
  await ranks.barrier(); // all ranks look for results before rank 0 can write new ones
  if (ranks.rank > 0) return trainAndTest(config, context, makeSource).then(() => undefined);
  checkLoggers(config);
  if (config.watch !== undefined) context.log(`report, renewed while it trains: ${join(directory, REPORT_FILE)}`);
  await withReport(context, async () => {
    const results = await trainAndTest(config, context, makeSource);
    if (results === null) {
      context.log(`stopped; the same command with ${shellQuoted(overrideWord('save_path', directory))} resumes it`);
      return 'interrupted';
    }
    await writeResults(directory, results);
    context.progress.report?.({ event: 'results', ...results });
    const [agent, report] = [join(directory, 'checkpoints', 'best'), join(directory, REPORT_FILE)];
    print(`\n${resultText(results)}\n\nagent: ${agent}\nreport: ${report}\n`);
    return results.stopped === undefined ? 'finished' : 'stopped by the guard';
  });
  await refuseStopped(await readResults<RunResults>(directory), config, context);
}

/** Refuses asynchronous rollouts on several ranks, since each rank would need its own copy of the policy that plays them. */
function refuseAheadOnRanks({ rollout }: Pick<TrainConfig, 'rollout'>, size: number): void {
  if (size === 1 || rollout === undefined || rollout.mode === 'synchronous') return;
  throw new Error(
    `rollout.mode=${rollout.mode} on ${size} processes: rollouts are played ahead on one process only\n` +
      '  start it without mpirun, or write rollout.mode=synchronous',
  );
}

/**
 * Refuses to resume a run that a bound of the config node `guard` has stopped, unless the bounds have been changed so that they
 * would not stop it again.
 */
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

/**
 * Runs a training from its initial policy to the final test.
 *
 * @returns null if the user stopped it before its end
 */
async function trainAndTest(
  config: TrainConfig,
  context: TaskContext,
  makeSource: MakeRolloutSource<TrainConfig>,
): Promise<RunResults | null> {
  const { ranks = oneRank } = context;
  await using run = await openRun(config, context, makeSource);
  if (run === null) return null;
  await using loggers = ranks.rank > 0 ? null : await RunLoggers.open(config, context, run.firstIteration);
  const recorder = await runAlgorithm(run, config, context, loggers ?? silentLogger);
  const isStopped = recorder.stopRequested && recorder.stoppedByGuard === null && recorder.ended === null;
  const results = isStopped ? null : await test(run, recorder, config, context).catch(nullWhereInterrupted);
  await loggers?.finish(finalFigures(results));
  return results;
}

/**
 * Returns null if the final test was interrupted: the training is saved, and the test is played when the run is resumed. Other
 * errors are thrown.
 */
function nullWhereInterrupted(error: unknown): null {
  if (error instanceof InterruptedError) return null;
  throw error;
}

function test(run: OpenRun, recorder: Recorder, config: TrainConfig, context: TaskContext): Promise<RunResults> {
  context.onInterrupt(null); // the training is saved: a signal ends the process, and a resumed run repeats the test
  const { unit, agent, device, memory, source, start } = run;
  const finalTest = new FinalTest(unit, config, context, device, memory, source);
  return timed('phase', 'test', () => finalTest.run(agent, start.folder, recorder));
}

/**
 * Returns the test metrics of the policy that the run returns: with the config node `watch` the initial policy if the best one
 * was not better, otherwise the last policy in the results. Returns null where the user stopped the run.
 */
const finalFigures = (results: RunResults | null) => {
  if (results === null) return null;
  const { handedOut, policies } = results;
  const isStart = handedOut !== undefined && handedOut.verdict !== 'improved';
  return (isStart ? policies[0] : policies.at(-1))?.metrics ?? {};
};
