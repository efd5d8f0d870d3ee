// Plays turn about with the environment's expert: each turn is the expert's by chance, else the policy's. What the policy says by itself
// is in the dialogue and is not imitated, as the slips of demonstrations.
import type { Decision } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import type { OpenPlayer } from '../types.js';
import { ConstrainedPlayer, type ChoiceOptions } from './choice-player.js';
import type { Dialogues } from './dialogue.js';
import type { ActRequest, Player } from './player.js';
import type { TurnTokens } from './turn-tokens.js';

/** @param options.expertShare chance of an expert's turn, 0…1 */
export const expertPlayer =
  (
    { policy, dialogues }: { policy: LanguageModel; dialogues: Dialogues },
    { slots, expertShare }: Pick<ChoiceOptions, 'slots'> & { expertShare: number },
  ): OpenPlayer =>
  async (sampling) =>
    new ExpertPlayer(await ConstrainedPlayer.open(policy, { slots, sampling, dialogues }), expertShare);

/** As a demonstration has them: nobody sampled it, and it is learned among all tokens. */
function demonstrated({ allowedIds: _, ...tokens }: TurnTokens): TurnTokens {
  return { ...tokens, logprobs: [] };
}

class ExpertPlayer implements Player {
  readonly asksExpert = true;

  /** @param player says what is the only valid action, and writes freely where there is none */
  constructor(
    private readonly player: ConstrainedPlayer,
    private readonly expertShare: number,
  ) {}

  async act(requests: ActRequest[]): Promise<(Decision<TurnTokens> | Error)[]> {
    const turns = requests.map((request) => {
      const { expertReply = null, rng } = request;
      const isExpert = rng.uniform() < this.expertShare && expertReply !== null;
      return { ...request, validActions: isExpert ? [expertReply] : [], isExpert };
    });
    const decisions = await this.player.act(turns);
    return decisions.map((decision, i) => {
      if (decision instanceof Error) return decision;
      const { action, data } = decision;
      const { isExpert, expertReply } = turns[i];
      if (isExpert) return { action, data: demonstrated(data) };
      return { action, data: { ...data, ...(action !== expertReply && { slip: true }) } };
    });
  }

  close(): Promise<void> {
    return this.player.close();
  }
}
