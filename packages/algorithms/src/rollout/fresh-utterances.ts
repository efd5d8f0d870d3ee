import { hash32, Rng } from '@bowyer/core';
import type { OpenPlayer, PlayOptions, ReplayItem } from '../types.js';
import { segmentsOf } from './turn-tokens.js';

/** New utterances of the acting policy at the states of replayed turns. */
export type FreshUtterances = (items: readonly ReplayItem[], rng: Rng) => Promise<ReplayItem[]>;

/**
 * Samples one utterance at each item's observation.
 *
 * @returns [items] the same states with new actions; rewards and next observations are not theirs and must not be used
 */
export async function freshUtterances(
  openPlayer: OpenPlayer,
  items: readonly ReplayItem[],
  { slots, sampling }: PlayOptions,
  rng: Rng,
): Promise<ReplayItem[]> {
  const seed = rng.uint32();
  const player = await openPlayer(sampling);
  try {
    const fresh: ReplayItem[] = [];
    for (let start = 0; start < items.length; start += slots) {
      const some = items.slice(start, start + slots);
      const states = some.map(({ trajectory, turn }) => trajectory.transitions[turn]);
      const decisions = await player.act(
        states.map(({ observation }, slot) => ({
          slot,
          turn: 0,
          observation,
          ids: tokensBefore(some[slot]),
          rng: new Rng(hash32(`${seed}/${start + slot}`)),
        })),
      );
      states.forEach((state, slot) => {
        const decision = decisions[slot];
        if (decision instanceof Error) throw decision;
        const { action, data } = decision;
        const trajectory = {
          episode: -1,
          seed,
          transitions: [{ ...state, action }],
          infos: [],
          segments: segmentsOf([data]),
        };
        fresh.push({ trajectory, turn: 0 });
      });
    }
    return fresh;
  } finally {
    await player.close();
  }
}

/** The policy's context before a turn's utterance: the whole dialogue, in whichever format. */
function tokensBefore({ trajectory, turn }: ReplayItem): number[] | undefined {
  for (const { ids, utterances } of trajectory.segments) {
    const utterance = utterances.find((candidate) => candidate.turn === turn);
    if (utterance) return ids.slice(0, utterance.start);
  }
  return undefined;
}
