// task=train: prepares the agent, runs the algorithm, and plays the final test. It can be killed and started again at any time.
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

/** Trains an agent. @param makeSource makes the source of rollouts in place of the config's environment */
export async function train(
  config: TrainConfig,
  context: TaskContext,
  makeSource: MakeRolloutSource<TrainConfig> = environmentSource,
): Promise<void> {
  const { directory, ranks = oneRank } = context;
  // Rank 0 alone writes, so it alone owns the folder.
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
    // A watched run that has ended for a reason is not continued by more iterations.
    (finished.ended !== undefined || finished.iterations >= (config.algorithm.iterations ?? finished.iterations))
  ) {
    context.log(`this run is finished already: ${directory}; another save_path makes a new one`);
    print(`\n${resultText(finished)}\n`);
    return;
  }
  await ranks.barrier(); // all ranks check for results before rank 0 can write new ones
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

/** Refuses rollouts ahead on several processes, each of which would need its copy of the policy. */
function refuseAheadOnRanks({ rollout }: Pick<TrainConfig, 'rollout'>, size: number): void {
  if (size === 1 || rollout === undefined || rollout.mode === 'synchronous') return;
  throw new Error(
    `rollout.mode=${rollout.mode} on ${size} processes: rollouts are played ahead on one process only\n` +
      '  start it without mpirun, or write rollout.mode=synchronous',
  );
}

/** Refuses to resume a run that the guard has stopped, unless its bounds have been changed so that it would not stop there. */
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

/** Runs a training from its start to its final test. @returns null if the user stopped it before its end */
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

/** Returns null for an interrupted test: the training is saved, and the test is played again when the run is resumed. */
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
 * Returns the metrics of the policy that the run returns: the initial one where a watched run did not improve, else the last one
 * tested; null where the user stopped the run.
 */
const finalFigures = (results: RunResults | null) => {
  if (results === null) return null;
  const { handedOut, policies } = results;
  const isStart = handedOut !== undefined && handedOut.verdict !== 'improved';
  return (isStart ? policies[0] : policies.at(-1))?.metrics ?? {};
};
