// Plays with a language model, and stores the exact tokens of every turn. Each slot's context stays in the KV cache across turns.
import type { Decision } from '@bowyer/envs';
import type { Episodes, LanguageModel, SamplingOptions } from '@bowyer/models';
import type { OpenPlayer, ActRequest, Player } from './player.js';
import { ConstrainedPlayer, ScoredPlayer } from './choice-player.js';
import type { Dialogue, Dialogues } from './dialogue.js';
import { textDialogues } from './text-dialogue.js';
import type { TurnTokens } from './turn-tokens.js';

/** Makes a player of the policy alone, which chooses actions according to the dialogues' `actionChoice`. */
export const policyPlayer =
  (
    {
      policy,
      dialogues,
      samplesIntegers = false,
    }: { policy: LanguageModel; dialogues: Dialogues; samplesIntegers?: boolean },
    { slots }: { slots: number },
  ): OpenPlayer =>
  (sampling) => {
    const { actionChoice = 'free' } = dialogues;
    if (actionChoice === 'free') return PolicyPlayer.open(policy, slots, sampling, dialogues, samplesIntegers);
    const options = { slots, sampling, dialogues };
    if (actionChoice === 'constrained') return ConstrainedPlayer.open(policy, options);
    return Promise.resolve(new ScoredPlayer(policy, options, actionChoice));
  };

/** Writes actions freely. */
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

  /** Opens a player. `dialogues`: as one growing text if not given. `samplesIntegers`: see `Agent.samplesIntegers`. */
  static async open(
    policy: LanguageModel,
    slots: number,
    sampling: SamplingOptions,
    dialogues: Dialogues = textDialogues(policy.tokenizer),
    samplesIntegers = false,
  ): Promise<PolicyPlayer> {
    const episodes = await policy.openEpisodes({ slots, integerProducts: samplesIntegers });
    return new PolicyPlayer(episodes, withTerminators(sampling, dialogues), slots, dialogues);
  }

  async act(requests: ActRequest[]): Promise<Required<Decision<TurnTokens>>[]> {
    const turns = requests.map((request) => {
      const { slot, rng } = request;
      const { keep, tokens } = this.#dialogues[slot].advance(request, this.episodes.context(slot));
      this.episodes.truncate(slot, keep);
      return { slot, rng, tokens };
    });
    const utterances = await this.episodes.act(turns, this.sampling);
    return utterances.map((utterance, i) =>
      this.#dialogues[requests[i].slot].decide(utterance, utterance.contextTokens),
    );
  }

  forget(): void {
    this.episodes.forget();
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}

/** Adds the terminators of the dialogues to those of the sampling options. */
export function withTerminators(sampling: SamplingOptions, { terminatorIds }: Dialogues): SamplingOptions {
  return { ...sampling, terminatorIds: [...new Set([...sampling.terminatorIds, ...terminatorIds])] };
}
