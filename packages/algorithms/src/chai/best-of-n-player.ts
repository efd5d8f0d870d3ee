// Plays as CHAI does: the policy samples N candidate utterances, and the one with the highest value of the target critic is the action.
// Source: Verma et al. 2022, arXiv:2204.08426 (propose and rank); online form of Zhou et al. 2024, arXiv:2402.19446.
import { spokenIds } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { DoubleCritic, Episodes, GeneratedUtterance, LanguageModel, SamplingOptions } from '@bowyer/models';
import type { Dialogue, Dialogues } from '../rollout/dialogue.js';
import type { ActRequest, Player } from '../rollout/player.js';
import { withTerminators } from '../rollout/policy-player.js';
import { textDialogues } from '../rollout/text-dialogue.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';

interface BestOfNOptions {
  slots: number;
  candidates: number;
  sampling: SamplingOptions;
  /** The conversion of episodes into tokens; as one growing text if not given. */
  dialogues?: Dialogues;
}

/**
 * Samples `candidates` utterances at the same state, and plays the one with the largest min(Q̄₁, Q̄₂).
 *
 * Every episode has `candidates` KV-cache slots with the same context; after the choice each slot is truncated to the prompt.
 */
export class BestOfNPlayer implements Player {
  readonly #dialogues: Dialogue[];
  /** Tokens of the last chosen utterance of each episode, which are not in the KV caches yet. */
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

  async act(requests: ActRequest[]): Promise<Required<Decision<TurnTokens>>[]> {
    const { candidates } = this.options;
    const proposals = await this.#propose(requests);
    const texts = proposals.map((proposal, i) =>
      this.#dialogues[requests[Math.floor(i / candidates)].slot].actionOf(proposal),
    );
    const observations = requests.flatMap(({ observation }) => new Array<string>(candidates).fill(observation));
    const { q1, q2 } = await this.critic.evaluate(observations, texts, 'target');

    return requests.map(({ slot }, row) => {
      const first = row * candidates;
      let best = first;
      for (let i = first; i < first + candidates; i++) {
        if (Math.min(q1[i], q2[i]) > Math.min(q1[best], q2[best])) best = i;
      }
      const chosen = proposals[best];
      this.#unread[slot] = spokenIds(chosen);
      return this.#dialogues[slot].decide(chosen, chosen.contextTokens);
    });
  }

  /** Samples [requests · candidates] utterances; afterwards the caches end where the prompts end. */
  async #propose(requests: ActRequest[]): Promise<GeneratedUtterance[]> {
    const { candidates, sampling } = this.options;
    const turns = requests.flatMap((request) => {
      const first = request.slot * candidates;
      const cached = this.episodes.context(first);
      const context = [...cached, ...this.#unread[request.slot]];
      const { keep, tokens } = this.#dialogues[request.slot].advance(request, context);
      const common = Math.min(keep, cached.length);
      const unread = [...context.slice(common, keep), ...tokens];
      return Array.from({ length: candidates }, (_, i) => {
        this.episodes.truncate(first + i, common);
        return { slot: first + i, rng: request.rng, tokens: unread };
      });
    });
    const utterances = await this.episodes.act(turns, sampling);
    for (const utterance of utterances)
      this.episodes.truncate(utterance.slot, this.episodes.length(utterance.slot) - spokenIds(utterance).length);
    return utterances;
  }

  async close(): Promise<void> {
    await this.episodes.close();
  }
}
