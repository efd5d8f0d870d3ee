// Lets the environment's expert play each turn with a given probability, else the policy. With expert.labels=played the policy's
// own utterances stay in the dialogue, marked as slips (mistakes) that are not imitated. With expert.labels=all the stored tokens
// of every turn are the expert's reply, whoever played it, after a prompt without earlier utterances.
import type { Decision } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import type { OpenPlayer, ActRequest, Player } from '../rollout/player.js';
import { ConstrainedPlayer, type ChoiceOptions } from '../rollout/choice-player.js';
import type { Dialogues } from '../rollout/dialogue.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';

interface ExpertPlayerOptions {
  /** Probability of an expert's turn, 0…1. */
  share: number;
  /** The labels: with `played`, the expert's own turns; with `all`, the expert's reply for every turn. */
  labels: 'played' | 'all';
}

export const expertPlayer =
  (
    { policy, dialogues }: { policy: LanguageModel; dialogues: Dialogues },
    { slots, share, labels }: Pick<ChoiceOptions, 'slots'> & ExpertPlayerOptions,
  ): OpenPlayer =>
  async (sampling) => {
    const player = await ConstrainedPlayer.open(policy, { slots, sampling, dialogues });
    return new ExpertPlayer(player, { share, labels }, policy);
  };

/** Returns a turn's tokens as those of a demonstration: without log-probabilities and masks. */
function demonstrated({ tokenMasks: _, ...tokens }: TurnTokens): TurnTokens {
  return { ...tokens, logprobs: [] };
}

class ExpertPlayer implements Player {
  readonly asksExpert = true;

  /** `player` plays every turn: with the expert's reply as its only valid action, or freely. */
  constructor(
    private readonly player: ConstrainedPlayer,
    private readonly options: ExpertPlayerOptions,
    private readonly policy: Pick<LanguageModel, 'tokenizer' | 'maskedTokenIds'>,
  ) {}

  async act(requests: ActRequest[]): Promise<(Decision<TurnTokens> | Error)[]> {
    const { share, labels } = this.options;
    const turns = requests.map((request) => {
      const { expertReply = null, rng } = request;
      const isExpert = rng.uniform() < share && expertReply !== null;
      // With expert.labels=all, each context is encoded from its beginning, even if its text happens to continue the previous one.
      const turn = labels === 'all' ? 0 : request.turn;
      return { ...request, turn, expertReply, validActions: isExpert ? [expertReply] : [], isExpert };
    });
    const decisions = await this.player.act(turns);
    return decisions.map((decision, i) => {
      if (decision instanceof Error) return decision;
      const { action, data } = decision;
      const { isExpert, expertReply } = turns[i];
      if (isExpert) return { action, data: demonstrated(data) };
      if (labels === 'all') return { action, data: this.#labelled(data, expertReply) };
      return { action, data: { ...data, ...(action !== expertReply && { slip: true }) } };
    });
  }

  /**
   * Replaces the policy's tokens by the expert's reply as the label. Without a reply, or with one that the policy cannot write,
   * the turn is marked as not to be imitated.
   */
  #labelled(data: TurnTokens, expertReply: string | null): TurnTokens {
    const ids = expertReply === null ? [] : this.policy.tokenizer.encode(expertReply);
    const isWritable = ids.length > 0 && !ids.some((id) => this.policy.maskedTokenIds.includes(id));
    if (!isWritable) return { ...data, slip: true };
    return demonstrated({ ...data, ids: [...ids, this.player.terminatorId], terminated: true });
  }

  close(): Promise<void> {
    return this.player.close();
  }
}
