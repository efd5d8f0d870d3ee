// CHAI's way of acting: the frozen policy proposes, the target critic disposes.
// Source: Verma et al. 2022, arXiv:2204.08426 (propose and rank); online form of Zhou et al. 2024, arXiv:2402.19446.
import type { TokenSegment } from '@bowyer/core';
import type { DoubleCritic, Episodes, LanguageModel, SamplingOptions, Utterance } from '@bowyer/models';
import { SlotContext, type Player, type ReadyTurn } from './policy-player.js';

/**
 * Samples `candidates` utterances from the same state and says the one with the largest min(Q̄₁, Q̄₂).
 *
 * Every episode owns `candidates` cache slots. All of them hold the same context; after the choice each is cut back to
 * the prompt, and reads the chosen utterance together with the next observation.
 */
export class BestOfNPlayer implements Player {
  #contexts: SlotContext[];
  #unread: number[][];

  private constructor(
    private readonly policy: LanguageModel,
    private readonly critic: DoubleCritic,
    private readonly episodes: Episodes,
    private readonly sampling: SamplingOptions,
    private readonly candidates: number,
    slots: number,
  ) {
    this.#contexts = Array.from({ length: slots }, () => new SlotContext());
    this.#unread = Array.from({ length: slots }, () => []);
  }

  static async open(
    policy: LanguageModel,
    critic: DoubleCritic,
    { slots, candidates, sampling }: { slots: number; candidates: number; sampling: SamplingOptions },
  ): Promise<BestOfNPlayer> {
    const episodes = await policy.openEpisodes({ slots: slots * candidates });
    return new BestOfNPlayer(policy, critic, episodes, sampling, candidates, slots);
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    const proposals = await this.#propose(ready);
    const texts = proposals.map(({ ids }) => this.policy.tokenizer.decode(ids));
    const observations = ready.flatMap(({ observation }) => new Array<string>(this.candidates).fill(observation));
    const { q1, q2 } = await this.critic.evaluate(observations, texts, 'target');

    return ready.map(({ slot, turn }, row) => {
      const first = row * this.candidates;
      let best = first;
      for (let i = first; i < first + this.candidates; i++) {
        if (Math.min(q1[i], q2[i]) > Math.min(q1[best], q2[best])) best = i;
      }
      this.#contexts[slot].record(turn, proposals[best], texts[best]);
      this.#unread[slot] = proposals[best].ids;
      return texts[best];
    });
  }

  /** `candidates` utterances a ready turn, one after the other; the caches end where the prompts end. */
  async #propose(ready: ReadyTurn[]): Promise<Utterance[]> {
    const turns = ready.flatMap((turn) => {
      const { reset, tokens } = this.#contexts[turn.slot].advance(turn, (text) => this.policy.tokenizer.encode(text));
      const unread = reset ? tokens : [...this.#unread[turn.slot], ...tokens];
      return Array.from({ length: this.candidates }, (_, i) => ({
        slot: turn.slot * this.candidates + i,
        rng: turn.rng,
        reset,
        tokens: unread,
      }));
    });
    const utterances = await this.episodes.act(turns, this.sampling);
    utterances.forEach(({ slot, ids }) => this.episodes.truncate(slot, this.episodes.length(slot) - ids.length));
    return utterances;
  }

  takeSegments(slot: number): TokenSegment[] {
    return this.#contexts[slot].segments;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}
