// Plays environments with a language model: text in, text out, and beside it a record of the exact tokens.
// Each slot keeps its context in the KV cache over the turns of an episode, so a turn costs only its new tokens.
import type { TokenSegment } from '@bowyer/core';
import type { Episodes, LanguageModel, SamplingOptions } from '@bowyer/models';
import type { Dialogue, Dialogues } from './dialogue.js';
import type { Player, ReadyTurn } from './player.js';
import { textDialogues } from './text-dialogue.js';

export class PolicyPlayer implements Player {
  readonly #dialogues: Dialogue[];

  private constructor(
    private readonly episodes: Episodes,
    private readonly sampling: SamplingOptions,
    slots: number,
    dialogues: Dialogues,
  ) {
    this.#dialogues = Array.from({ length: slots }, () => dialogues.open());
  }

  /** @param dialogues how episodes are written; as text if not given */
  static async open(
    policy: LanguageModel,
    slots: number,
    sampling: SamplingOptions,
    dialogues: Dialogues = textDialogues(policy.tokenizer),
  ): Promise<PolicyPlayer> {
    const episodes = await policy.openEpisodes({ slots });
    return new PolicyPlayer(episodes, withTerminators(sampling, dialogues), slots, dialogues);
  }

  async act(ready: ReadyTurn[]): Promise<string[]> {
    const turns = ready.map((turn) => {
      const { slot, rng } = turn;
      const { keep, tokens } = this.#dialogues[slot].advance(turn, this.episodes.context(slot));
      this.episodes.truncate(slot, keep);
      return { slot, rng, tokens };
    });
    const utterances = await this.episodes.act(turns, this.sampling);
    return utterances.map((utterance, i) => this.#dialogues[ready[i].slot].record(ready[i].turn, utterance));
  }

  takeSegments(slot: number): TokenSegment[] {
    return this.#dialogues[slot].segments;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}

/** What ends utterances: what the sampling names, and then what the way of writing adds. */
export function withTerminators(sampling: SamplingOptions, { terminatorIds }: Dialogues): SamplingOptions {
  return { ...sampling, terminatorIds: [...new Set([...sampling.terminatorIds, ...terminatorIds])] };
}
