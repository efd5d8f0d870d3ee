// Writes the checkpoints of a warm start (training on demonstrations before the algorithm starts), and at its end the folder of the
// trained policy. A warm start that is killed at any moment resumes from its last checkpoint, and ends with the same bytes as without
// the kill.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics, AlgorithmState, RunHooks } from '@bowyer/algorithms';
import type { LanguageModel } from '@bowyer/models';
import { shellQuoted, JsonlFile } from '@bowyer/core';
import { CheckpointStore } from '@bowyer/checkpoints';
import { ProgressBar } from '@bowyer/logging';
import type { Reporting, TaskContext } from '../../context/task-context.js';
import { restoreOptimizer, savePolicyState } from '../policy/policy-setup.js';

const MS_PER_MINUTE = 60_000;
const METRICS = 'metrics.jsonl';
/** The remedy in errors about a warm start whose loss diverges, probably because of the learning rate. */
const REMEDY = '  give a smaller warm_start.lr, or a smaller warm_start.max_grad_norm';

/** The weight of the last step in the loss of the progress bar, which is a moving average over about twenty steps. */
const SMOOTHING = 0.1;

interface ImitationCheckpoint {
  step: number;
  state: AlgorithmState;
  /**
   * The length of the warm start's metrics.jsonl in bytes when the checkpoint was written, to which the file is cut when training
   * resumes.
   */
  metricsBytes: number;
}

/** The functions of a task's context that a warm start needs. */
export type WarmStartContext = Reporting & Pick<TaskContext, 'onInterrupt'>;

export class Imitation implements RunHooks {
  stopRequested = false;
  /** Null without a checkpoint. */
  readonly policyFolder: string | null;
  /** The step and the algorithm's state with which the training begins or resumes. */
  readonly run: { firstIteration: number; state: AlgorithmState };
  #bar: ProgressBar | undefined;
  #savedAt = performance.now();
  #policy: LanguageModel | undefined;
  #lastLoss = NaN;
  /** The moving average of the loss over the last steps, which the progress bar shows. */
  #shownLoss = NaN;
  /** The unit over which the shown loss is a mean. */
  #lossUnit: 'token' | 'utterance' = 'utterance';

  private constructor(
    private readonly folder: string,
    private readonly saveMinutes: number,
    private readonly context: WarmStartContext,
    private readonly store: CheckpointStore<ImitationCheckpoint>,
    private readonly metrics: JsonlFile,
    found: { folder: string; progress: ImitationCheckpoint } | null,
  ) {
    this.policyFolder = found && join(found.folder, 'policy');
    this.run = { firstIteration: found?.progress.step ?? 0, state: found?.progress.state ?? {} };
  }

  /** @param folder in which the finished policy will be; until then checkpoints are in FOLDER.partial */
  static async open(folder: string, saveMinutes: number, context: WarmStartContext): Promise<Imitation> {
    const work = `${folder}.partial`;
    const store = new CheckpointStore<ImitationCheckpoint>(
      join(work, 'checkpoints'),
      `start again: rm -r ${shellQuoted(work)}`,
    );
    const found = await store.newest((warning) => context.log(warning, 'WARNING'));
    if (found) context.log(`warm start: resumed after optimizer step ${found.progress.step}`);
    const metrics = await JsonlFile.open(join(work, METRICS), found?.progress.metricsBytes ?? 0);
    return new Imitation(folder, saveMinutes, context, store, metrics, found);
  }

  /**
   * Restores the state of a warm start that was interrupted.
   *
   * @param policy with its optimizer
   */
  async resume(policy: LanguageModel): Promise<void> {
    this.#policy = policy;
    // The first Ctrl-C stops the training from here on. Earlier it ended the process, since there was nothing to save.
    this.context.onInterrupt(() => (this.stopRequested = true), 'stopping after this step');
    if (this.policyFolder !== null) await restoreOptimizer(policy, this.policyFolder);
  }

  progress(_phase: string, done: number, total: number, loss?: number): void {
    if (!this.#bar)
      (this.#bar = new ProgressBar('warm start', total, this.context.progress)).startAt(this.run.firstIteration);
    if (loss !== undefined)
      this.#shownLoss = Number.isNaN(this.#shownLoss) ? loss : this.#shownLoss + SMOOTHING * (loss - this.#shownLoss);
    this.#bar.update(done, Number.isNaN(this.#shownLoss) ? undefined : `loss ${this.#shownLoss.toFixed(4)}`);
  }

  /** Throws where the loss is not finite, so that the policy is not saved. */
  async log(step: number, metrics: Metrics): Promise<void> {
    this.#lastLoss = metrics['losses/nll'];
    if (!Number.isFinite(this.#lastLoss))
      throw new Error(`warm start: the loss became ${this.#lastLoss} by optimizer step ${step + 1}\n${REMEDY}`);
    this.#lossUnit = 'losses/perplexity' in metrics ? 'token' : 'utterance';
    await this.metrics.append(metrics);
  }

  /** Does nothing, since a warm start has no evaluations and therefore no best policy. */
  keepBest(): Promise<void> {
    return Promise.resolve();
  }

  get checkpointDue(): boolean {
    return performance.now() - this.#savedAt >= this.saveMinutes * MS_PER_MINUTE;
  }

  async checkpoint(step: number): Promise<void> {
    const progress = { step, state: this.run.state, metricsBytes: this.metrics.bytes };
    await this.store.save(step, progress, (to) => savePolicyState(this.#policy!, join(to, 'policy')));
    this.#savedAt = performance.now();
  }

  /** Gives the folder its final name; returns false where the user stopped the training. */
  async finish(policy: LanguageModel): Promise<boolean> {
    this.#bar?.finish();
    this.context.onInterrupt(null);
    if (this.stopRequested) return false;
    this.context.log(`warm start: loss of the last epoch ${this.#lastLoss.toFixed(4)} nats per ${this.#lossUnit}`);
    this.#refuseDiverged(policy);
    const work = `${this.folder}.partial`;
    const result = join(work, 'result');
    await rm(result, { recursive: true, force: true });
    await mkdir(result, { recursive: true });
    await policy.save(result);
    await copyFile(join(work, METRICS), join(result, METRICS));
    await rename(result, this.folder).catch((error: unknown) => {
      // If the final folder exists, another run with the same config has finished first, with the same result.
      if (!existsSync(this.folder)) throw error;
    });
    await rm(work, { recursive: true, force: true });
    return true;
  }

  /** Refuses a policy that is worse than uniform guessing, so that other runs do not get it from the cache. */
  #refuseDiverged({ tokenizer, contextLength }: LanguageModel): void {
    // The loss is a sum over an utterance, whose length is at most that of the context.
    const guess = Math.log(tokenizer.vocabSize) * contextLength;
    if (Number.isNaN(this.#lastLoss) || this.#lastLoss < guess) return; // NaN: the resumed warm start had no step left
    throw new Error(
      `warm start: the loss of the last epoch is ${this.#lastLoss.toPrecision(3)} nats, more than that of a policy that guesses (${guess.toPrecision(3)})\n` +
        REMEDY,
    );
  }
}
