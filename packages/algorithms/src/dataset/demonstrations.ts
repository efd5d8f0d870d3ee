// Converts demonstrations into episodes, with the tokens that a rollout of the same episode would have.
import type { Demonstration, DemonstrationTurn, TokenSegment, Trajectory } from '@bowyer/core';
import type { Tokenizer } from '@bowyer/text';
import { segmentsOf, SlotContext, type TurnTokens } from '../rollout/turn-tokens.js';

/**
 * Converts a demonstration into an episode. Missing rewards are NaN.
 *
 * @param room largest number of tokens before an utterance; older ones are dropped. No limit if not given
 */
export function demonstrationTrajectory(
  demonstration: Demonstration,
  {
    tokenizer,
    terminatorId,
    episode,
    room,
  }: { tokenizer: Tokenizer; terminatorId: number; episode: number; room?: number },
): Trajectory {
  const { opening, turns, won } = demonstration;
  let text = opening;
  const transitions = turns.map(({ action, reply, nextObservation, reward = NaN, ...end }, turn) => {
    const observation = text;
    text = nextObservation ?? text + action + reply;
    const { terminated = turn === turns.length - 1, truncated = false } = end;
    return { observation, action, reward, nextObservation: text, terminated, truncated };
  });
  const segments = demonstrationSegments(demonstration, tokenizer, terminatorId, room);
  const infos = transitions.map((_, turn) => (won !== undefined && turn === turns.length - 1 ? { won } : {}));
  return { episode, seed: 0, transitions, infos, segments };
}

/** Tokenizes a demonstration's texts one by one, and truncates its contexts as the player does during a rollout. */
export function demonstrationSegments(
  { opening, turns }: Demonstration,
  tokenizer: Pick<Tokenizer, 'encode'>,
  terminatorId: number,
  room = Infinity,
): TokenSegment[] {
  const context = new SlotContext();
  let before: DemonstrationTurn | null = null;
  const tokens: TurnTokens[] = [];
  for (const turn of turns) {
    if (before?.nextObservation === undefined && before !== null) context.extend(tokenizer.encode(before.reply));
    else context.restart(tokenizer.encode(before?.nextObservation ?? opening));
    const ids = [...tokenizer.encode(turn.action), terminatorId];
    tokens.push(context.utter({ ids, terminated: true, logprobs: [] }, room));
    before = turn;
  }
  const segments = segmentsOf(tokens);
  for (const utterance of segments.flatMap(({ utterances }) => utterances))
    if (turns[utterance.turn].slip) utterance.slip = true;
  return segments;
}
