// Behaviour cloning that may be killed at any moment: checkpoints on the way, and at the end a folder with the policy, whole or
// not at all. Started again it goes on from the last checkpoint, and ends with the bytes of one that was never killed.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bc, textDialogues, type Dataset, type Metrics, type RecipeState, type RunHooks } from '@bowyer/algorithms';
import { JsonlFile, ProgressBar } from '@bowyer/logging';
import type { LanguageModel } from '@bowyer/models';
import { CheckpointStore } from './checkpoint-store.js';
import { policyOptimizer, restorePolicy, savePolicyState } from './policy-setup.js';
import { playOptions } from './recipe-options.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

const MS_PER_MINUTE = 60_000;
const METRICS = 'metrics.jsonl';

interface ImitationCheckpoint {
  /** Optimizer steps taken. */
  step: number;
  state: RecipeState;
  /** Length in bytes of the figures so far. */
  metricsBytes: number;
}

export interface Imitation {
  policy: LanguageModel;
  /** Where the policy and its figures go. What is needed to go on lies beside it meanwhile, in FOLDER.partial. */
  folder: string;
  /** Of the progress bar, and in what the log says. */
  title: string;
  onEpoch?(epoch: number, metrics: Metrics): void;
}

/** @returns false if the user stopped it; the same command goes on */
export async function imitateInto(
  { policy, folder, title, onEpoch }: Imitation,
  dataset: Dataset,
  config: RunConfig,
  { log, progress: output, onInterrupt }: Pick<TaskContext, 'log' | 'progress' | 'onInterrupt'>,
): Promise<boolean> {
  const work = `${folder}.partial`;
  const store = new CheckpointStore<ImitationCheckpoint>(join(work, 'checkpoints'), `begin again: rm -r '${work}'`);
  const found = await store.newest((warning) => log(warning, 'WARNING'));
  await policy.createOptimizer(policyOptimizer(config));
  const { step: firstStep, state } = found?.progress ?? { step: 0, state: {} };
  if (found) {
    log(`${title}: going on after optimizer step ${firstStep}`);
    await restorePolicy(policy, join(found.folder, 'policy'));
  }
  const metrics = await JsonlFile.open(join(work, METRICS), found?.progress.metricsBytes ?? 0);
  let stopRequested = false;
  onInterrupt(() => (stopRequested = true), 'stopping after this step');
  let bar: ProgressBar | undefined;
  let savedAt = performance.now();
  const hooks: RunHooks = {
    progress(_, done, total) {
      if (!bar) (bar = new ProgressBar(title, total, output)).startAt(firstStep);
      bar.update(done);
    },
    async log(epoch, figures) {
      onEpoch?.(epoch, figures);
      await metrics.append({ epoch: epoch + 1, ...figures });
    },
    keepBest: () => Promise.resolve(),
    async checkpoint(step) {
      const checkpoint = { step, state, metricsBytes: metrics.bytes };
      await store.save(step, checkpoint, (to) => savePolicyState(policy, join(to, 'policy')));
      savedAt = performance.now();
    },
    get checkpointDue() {
      return performance.now() - savedAt >= config.warmStart.saveMinutes * MS_PER_MINUTE;
    },
    get stopRequested() {
      return stopRequested;
    },
  };
  const { epochs, batchSize, lr, maxGradNorm, schedule } = config.warmStart;
  await bc.train(
    {
      ...{ policy, critic: null, dialogues: textDialogues(policy.tokenizer), makeEnv: null },
      ...{ dataset, history: [], state, firstIteration: firstStep, hooks },
    },
    {
      ...playOptions(config, policy.tokenizer),
      ...{ epochs, batchSize, lmLr: lr, lmSchedule: schedule, maxGradNorm, scoreTerminator: config.scoreTerminator },
    },
  );
  const finished = !stopRequested;
  bar?.finish();
  onInterrupt(null);
  if (finished) await finish(policy, work, folder);
  return finished;
}

/** The result appears under its name at once. */
async function finish(policy: LanguageModel, work: string, folder: string): Promise<void> {
  const result = join(work, 'result');
  await rm(result, { recursive: true, force: true });
  await mkdir(result, { recursive: true });
  await policy.save(result);
  await copyFile(join(work, METRICS), join(result, METRICS));
  await rename(result, folder).catch((error: unknown) => {
    // Another run with the same recipe may have been faster; its result is the same.
    if (!existsSync(folder)) throw error;
  });
  await rm(work, { recursive: true, force: true });
}
