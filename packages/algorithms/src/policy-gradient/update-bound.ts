// Bounds an update by the KL from the sampling policy to the updated one, in nats per episode. By Pinsker's inequality an update
// of KL δ changes the probability of any outcome of an episode by at most √(δ/2): a success rate of 0.7 cannot fall below 0.54 in
// an update of 0.05 nats.
import { groupBy, klEstimate, mean } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { scoreTurns, type TurnBatch } from '../learning/pack-turns.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AdvantageTurn, Prepared, SurrogateOptions } from './policy-loss.js';

/** The number of episodes over which the KL is averaged during an update; it is measured in each minibatch before its step. */
const WINDOW = 16;
/** The number of episodes whose tokens are scored again after the update, to measure its KL. */
const MEASURED = 32;
/** An update whose KL exceeds the bound by more than this factor is undone. */
const FAR_BEYOND = 4;

/**
 * Ends the optimizer steps on a rollout when the KL from the sampling policy reaches a bound, and restores the parameters if the
 * KL of all steps together is far beyond it.
 */
export class UpdateBound {
  /** The KL, in nats, and the number of episodes of the newest minibatches, oldest first. */
  #recent: { episodes: number; nats: number }[] = [];

  private constructor(
    private readonly policy: LanguageModel,
    private readonly bound: number,
    private readonly before: Awaited<ReturnType<LanguageModel['copyParameters']>>,
  ) {}

  /** Stores a copy of the trained parameters. @param bound nats per episode */
  static async open(policy: LanguageModel, bound: number): Promise<UpdateBound> {
    return new UpdateBound(policy, bound, await policy.copyParameters());
  }

  /** Returns whether the KL of the update has reached the bound. @param klPerToken nats, measured in a minibatch before its step */
  reached(klPerToken: number, { turns, lengths }: TurnBatch<Prepared<AdvantageTurn>>): boolean {
    const tokens = lengths.reduce((sum, length) => sum + length, 0);
    this.#recent.push({ episodes: new Set(turns.map(({ trajectory }) => trajectory)).size, nats: klPerToken * tokens });
    const sum = (key: 'episodes' | 'nats') => this.#recent.reduce((total, one) => total + one[key], 0);
    while (this.#recent.length > 1 && sum('episodes') - this.#recent[0].episodes >= WINDOW) this.#recent.shift();
    return sum('episodes') >= WINDOW && sum('nats') / sum('episodes') > this.bound;
  }

  /** Undoes the update if its KL is far beyond the bound. */
  async close(
    turns: readonly Prepared<AdvantageTurn>[],
    { scoreTerminator, maxBatchTokens }: Pick<SurrogateOptions['actor'], 'scoreTerminator' | 'maxBatchTokens'>,
  ): Promise<Metrics> {
    const sample = sampleEpisodes(turns);
    const maxTokens = maxBatchTokens ?? undefined;
    const logprobs = await scoreTurns((examples) => this.policy.logprobs(examples, { maxTokens }), sample.flat(), {
      scoreTerminator,
    });
    let next = 0;
    const kl = mean(
      sample.map((episode) =>
        episode.reduce((sum, { old }) => {
          const updated = logprobs[next++];
          return sum + updated.reduce((total, logprob, t) => total + klEstimate(old[t], logprob, 'k3'), 0);
        }, 0),
      ),
    );
    const isUndone = !(kl <= FAR_BEYOND * this.bound);
    if (isUndone) await this.policy.restoreParameters(this.before);
    return { 'actor/update_kl': Number.isFinite(kl) ? kl : Number.MAX_VALUE, 'actor/update_undone': isUndone ? 1 : 0 };
  }
}

/** Selects episodes at equal distances in the order of the turns, so that all parts of a rollout are represented. */
function sampleEpisodes<Turn extends AdvantageTurn>(turns: readonly Turn[]): Turn[][] {
  const all = [...groupBy(turns, ({ trajectory }) => trajectory).values()];
  const stride = Math.max(1, all.length / MEASURED);
  return Array.from({ length: Math.min(all.length, MEASURED) }, (_, i) => all[Math.floor(i * stride)]);
}
