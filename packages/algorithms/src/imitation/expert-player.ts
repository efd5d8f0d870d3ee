// A player that alternates with the environment's expert: each turn is the expert's with a given probability, else the policy's.
// With labels=played the policy's own utterances are in the dialogue and are not imitated, like the slips of demonstrations. With
// labels=all the tokens of every turn are the expert's reply, whoever has played it; this needs contexts without the utterances.
import type { Decision } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import type { OpenPlayer, ActRequest, Player } from '../rollout/player.js';
import { ConstrainedPlayer, type ChoiceOptions } from '../rollout/choice-player.js';
import type { Dialogues } from '../rollout/dialogue.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';

interface ExpertPlayerOptions {
  /** Chance of an expert's turn, 0…1. */
  share: number;
  /** `played`: the expert's own turns are labels; `all`: every turn has the expert's reply as its label. */
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

/** Returns the tokens of a demonstration: nobody sampled them, and they are learned among all tokens. */
function demonstrated({ tokenMasks: _, ...tokens }: TurnTokens): TurnTokens {
  return { ...tokens, logprobs: [] };
}

class ExpertPlayer implements Player {
  readonly asksExpert = true;

  /** @param player says what is the only valid action, and writes freely where there is none */
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
      // With labels on all turns, each context is encoded from its beginning, also where its text happens to continue the one before.
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

  /** Puts the expert's reply in the place of the policy's; nothing is learned where there is none that the policy can write. */
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
