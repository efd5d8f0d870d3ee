// CHAI's way of acting: the frozen policy proposes, the target critic disposes.
// Source: Verma et al. 2022, arXiv:2204.08426 (propose and rank); online form of Zhou et al. 2024, arXiv:2402.19446.
import type { TokenSegment } from '@bowyer/core';
import type { DoubleCritic, Episodes, LanguageModel, SamplingOptions, Utterance } from '@bowyer/models';
import type { Dialogue, Dialogues } from './dialogue.js';
import type { Player, ReadyTurn } from './player.js';
import { withTerminators } from './policy-player.js';
import { textDialogues } from './text-dialogue.js';

export interface BestOfNOptions {
  slots: number;
  /** Utterances proposed per turn. */
  candidates: number;
  sampling: SamplingOptions;
  /** How episodes are written; as text if not given. */
  dialogues?: Dialogues;
}

/**
 * Samples `candidates` utterances from the same state and says the one with the largest min(Q̄₁, Q̄₂).
 *
 * Every episode owns `candidates` cache slots. All of them hold the same context; after the choice each is cut back to
 * the prompt, and reads the chosen utterance together with the next observation.
 */
export class BestOfNPlayer implements Player {
  readonly #dialogues: Dialogue[];
  /** The utterances chosen last, which the caches lack. */
  readonly #unread: number[][];

  private constructor(
    private readonly critic: DoubleCritic,
    private readonly episodes: Episodes,
    private readonly options: BestOfNOptions & { dialogues: Dialogues },
  ) {
    this.#dialogues = Array.from({ length: options.slots }, () => options.dialogues.open());
    this.#unread = Array.from({ length: options.slots }, () => []);
  }

  static async open(policy: LanguageModel, critic: DoubleCritic, options: BestOfNOptions): Promise<BestOfNPlayer> {
    const { slots, candidates, dialogues = textDialogues(policy.tokenizer) } = options;
    const sampling = withTerminators(options.sampling, dialogues);
    const episodes = await policy.openEpisodes({ slots: slots * candidates });
    return new BestOfNPlayer(critic, episodes, { slots, candidates, sampling, dialogues });
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    const { candidates } = this.options;
    const proposals = await this.#propose(ready);
    const texts = proposals.map((proposal, i) =>
      this.#dialogues[ready[Math.floor(i / candidates)].slot].actionOf(proposal),
    );
    const observations = ready.flatMap(({ observation }) => new Array<string>(candidates).fill(observation));
    const { q1, q2 } = await this.critic.evaluate(observations, texts, 'target');

    return ready.map(({ slot, turn }, row) => {
      const first = row * candidates;
      let best = first;
      for (let i = first; i < first + candidates; i++) {
        if (Math.min(q1[i], q2[i]) > Math.min(q1[best], q2[best])) best = i;
      }
      this.#unread[slot] = proposals[best].ids;
      return this.#dialogues[slot].record(turn, proposals[best]);
    });
  }

  /** `candidates` utterances a ready turn, one after the other; the caches end where the prompts end. */
  async #propose(ready: ReadyTurn[]): Promise<Utterance[]> {
    const { candidates, sampling } = this.options;
    const turns = ready.flatMap((turn) => {
      const first = turn.slot * candidates;
      const cached = this.episodes.context(first);
      const held = [...cached, ...this.#unread[turn.slot]];
      const { keep, tokens } = this.#dialogues[turn.slot].advance(turn, held);
      const common = Math.min(keep, cached.length);
      const unread = [...held.slice(common, keep), ...tokens];
      return Array.from({ length: candidates }, (_, i) => {
        this.episodes.truncate(first + i, common);
        return { slot: first + i, rng: turn.rng, tokens: unread };
      });
    });
    const utterances = await this.episodes.act(turns, sampling);
    utterances.forEach(({ slot, ids }) => this.episodes.truncate(slot, this.episodes.length(slot) - ids.length));
    return utterances;
  }

  takeSegments(slot: number): TokenSegment[] {
    return this.#dialogues[slot].segments;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}
