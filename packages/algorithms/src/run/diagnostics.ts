// Measures, on a sample of each rollout's turns, the mismatch between sampler and trainer, the KL of an update, and the KL from
// the initial policy.
import { klEstimate, maximum, mean, Rng, type Ranks, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import type { Metrics } from '../rollout/run-hooks.js';
import type { OpenPlayer, PlayOptions } from '../rollout/player.js';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import type { TrainingRun } from './training-run.js';
import { freshBatch } from '../rollout/fresh-utterances.js';
import { scoredIds, scoreTurns, utterancesOf, type LearnedTurn } from '../learning/pack-turns.js';

export interface DiagnosticsOptions {
  seed: number;
  /** The number of turns of each rollout whose tokens are scored again; 0 for none. */
  turns: number;
  /** The largest allowed mismatch of a log-probability, in nats: a larger one stops the run. Null for no limit. */
  maxLogprobMismatch: number | null;
  /** Whether the KL from the initial policy is measured, which needs that policy in memory. */
  klToStart: boolean;
}

/** A sampler that plays with the policy's present weights. */
export interface Sampler extends Pick<PlayOptions, 'sampling'> {
  openPlayer(slots: number): OpenPlayer;
  ranks?: Ranks;
}

interface SampledTurn extends LearnedTurn {
  /** Log-probabilities in nats that the sampler stored: of the utterance, then of the terminator. */
  sampled: number[];
  /** Whether the weights that wrote the turn are those that score it before the update, unlike in some asynchronous rollouts. */
  isFresh: boolean;
}

const scoring = { scoreTerminator: true };
/** The most tokens in one batch, including padding. */
const MAX_TOKENS = 4096;
/** The number of turns that are sampled again after an update. */
const RESAMPLED_TURNS = 4;

/** Computes the metrics `diagnostics/…` of each iteration. */
export class Diagnostics {
  #turns: SampledTurn[] = [];
  #metrics: Metrics = {};
  #iteration = -1;
  #reference: ReferencePolicy | null = null;

  /** `sampler`: null if rollouts have other weights than the trainer's; a mismatch then shows only in the next rollout. */
  constructor(
    private readonly run: { policy: Pick<LanguageModel, 'logprobs'> } & Pick<TrainingRun, 'openReference'>,
    private readonly options: DiagnosticsOptions,
    private readonly sampler: Sampler | null = null,
  ) {}

  /**
   * Compares a rollout's stored log-probabilities with the trainer's, before training, while both should have the same weights.
   * If an iteration plays several rollouts, the largest mismatch is kept.
   *
   * @throws if a token's log-probability differs by more than `maxLogprobMismatch`
   */
  async onRollout(rollout: readonly Trajectory[], iteration: number): Promise<void> {
    this.#turns = sampleTurns(
      rollout,
      { count: this.options.turns, iteration },
      Rng.forPurpose(this.options.seed, `diagnostics/${iteration}`),
    );
    const before = iteration === this.#iteration ? (this.#metrics['diagnostics/logprob_mismatch'] ?? 0) : 0;
    this.#iteration = iteration;
    this.#metrics = {};
    if (this.#turns.length === 0) return;
    const trained = await this.#score(this.run.policy);
    const mismatches = this.#mismatches(this.#turns, trained);
    if (this.#turns.some(({ isFresh }) => isFresh))
      this.#metrics['diagnostics/logprob_mismatch'] = maximum([before, ...mismatches]);
    if (!this.options.klToStart) return;
    this.#reference ??= await this.run.openReference();
    this.#metrics['diagnostics/kl_to_start'] = this.#klTo(await this.#score(this.#reference));
  }

  /** Measures the effect of the update. @returns all metrics of the iteration */
  async afterUpdate(): Promise<Metrics> {
    if (this.#turns.length === 0) return {};
    const updated = await this.#score(this.run.policy);
    return {
      ...this.#metrics,
      ...(this.sampler && { 'diagnostics/updated_logprob_mismatch': await this.#updatedMismatch(this.sampler) }),
      'diagnostics/kl_sampling': this.#klTo(updated),
    };
  }

  /** Measures the mismatch of utterances that the updated policy samples at some turns of the rollout. */
  async #updatedMismatch(sampler: Sampler): Promise<number> {
    const rng = Rng.forPurpose(this.options.seed, `diagnostics/${this.#iteration}/updated`);
    const turns = this.#turns.slice(0, RESAMPLED_TURNS);
    const slots = turns.length;
    const fresh = await freshBatch(sampler.openPlayer(slots), turns, { ...sampler, slots }, rng);
    const written = fresh.flatMap(({ trajectory, turn }, i): SampledTurn[] => {
      const sampled = utterancesOf(trajectory).get(turn)?.logprobs ?? [];
      const { episode } = turns[i].trajectory;
      return sampled.length === 0 ? [] : [{ trajectory: { ...trajectory, episode }, turn, sampled, isFresh: true }];
    });
    return maximum([0, ...this.#mismatches(written, await this.#score(this.run.policy, written))]);
  }

  async release(): Promise<void> {
    await this.#reference?.release();
  }

  /** Computes the turns' log-probabilities. @returns [turns] of [tokens], in nats */
  #score(
    policy: Pick<ReferencePolicy, 'logprobs'>,
    turns: readonly SampledTurn[] = this.#turns,
  ): Promise<Float32Array[]> {
    return scoreTurns((examples) => policy.logprobs(examples, { maxTokens: MAX_TOKENS }), turns, scoring);
  }

  /** Computes KL(sampling policy ‖ other) per token in nats, from tokens that the sampling policy drew. */
  #klTo(other: readonly Float32Array[]): number {
    return mean(
      other.flatMap((logprobs, i) =>
        Array.from(logprobs, (logprob, t) => klEstimate(this.#turns[i].sampled[t], logprob, 'k3')),
      ),
    );
  }

  /**
   * Finds the largest difference in nats between a turn's log-probabilities by the sampler and by the trainer, [turns]; 0 for a
   * turn that earlier weights wrote.
   *
   * @param trained [turns] of [tokens], log-probabilities of the trainer
   * @throws if one is larger than `maxLogprobMismatch`
   */
  #mismatches(turns: readonly SampledTurn[], trained: readonly Float32Array[]): number[] {
    const { maxLogprobMismatch } = this.options;
    const mismatches = trained.map((logprobs, i) =>
      turns[i].isFresh ? maximum(differences(logprobs, turns[i].sampled)) : 0,
    );
    const worst = maximum([0, ...mismatches]);
    if (maxLogprobMismatch === null || worst <= maxLogprobMismatch) return mismatches;
    const index = mismatches.indexOf(worst);
    const { trajectory, turn, sampled } = turns[index];
    const token = differences(trained[index], sampled).indexOf(worst);
    throw new Error(
      `sampler and trainer are not the same policy: the log-probability of token ${token} in turn ${turn} of episode ` +
        `${trajectory.episode} was ${sampled[token].toFixed(6)} when it was sampled and is ${trained[index][token].toFixed(6)} to the trainer\n` +
        `  the difference ${worst.toPrecision(3)} is more than diagnostics.max_logprob_mismatch=${maxLogprobMismatch}; the policy that is trained is then not the one ` +
        'that plays\n  float16, quantized weights and GPUs differ by rounding: give a larger bound there, or null for none',
    );
  }
}

/** Draws turns that have tokens of the policy, without replacement, in the order of the rollout. */
function sampleTurns(
  rollout: readonly Trajectory[],
  { count, iteration }: { count: number; iteration: number },
  rng: Rng,
): SampledTurn[] {
  if (count === 0) return [];
  const all = rollout.flatMap((trajectory) =>
    [...utterancesOf(trajectory)].flatMap(([turn, utterance]) =>
      scoredIds(utterance, scoring.scoreTerminator).length === 0 || utterance.logprobs.length === 0
        ? []
        : [
            {
              trajectory,
              turn,
              sampled: utterance.logprobs,
              isFresh: (utterance.policyVersion ?? iteration) === iteration,
            },
          ],
    ),
  );
  const chosen = new Set(rng.shuffle(all.map((_, i) => i)).slice(0, count));
  return all.filter((_, i) => chosen.has(i));
}

const differences = (logprobs: Float32Array, sampled: readonly number[]): number[] =>
  Array.from(logprobs, (logprob, t) => Math.abs(logprob - sampled[t]));
