// Returns the episodes of a dataset, with a reward for every turn, to algorithms that learn from rewards.
import { episodicReturn, type Trajectory } from '@bowyer/core';
import type { Dataset } from '../run/training-run.js';

/**
 * Trajectories of one episode, whose observations do not continue each other, are joined into one.
 *
 * @param needs says what the rewards are needed for, in the error message
 * @throws where turns have no rewards
 */
export function rewardedEpisodes(dataset: Dataset, needs: string): Trajectory[] {
  const rated =
    dataset.kind === 'episodes' && !dataset.episodes.some((episode) => Number.isNaN(episodicReturn(episode)));
  if (rated) return wholeEpisodes(dataset.episodes);
  throw new Error(
    `${needs}, but this dataset has ${dataset.kind} without rewards: ` +
      'give episodes with a reward per turn, or use bc',
  );
}

function wholeEpisodes(parts: readonly Trajectory[]): Trajectory[] {
  const episodes: Trajectory[] = [];
  for (const part of parts) {
    const last = episodes.at(-1);
    if (last !== undefined && continues(last, part)) episodes.push(joined(episodes.pop()!, part));
    else episodes.push(part);
  }
  return episodes;
}

function continues(before: Trajectory, part: Trajectory): boolean {
  const { terminated, truncated } = before.transitions.at(-1) ?? { terminated: true, truncated: false };
  return before.episode === part.episode && !terminated && !truncated;
}

function joined(before: Trajectory, part: Trajectory): Trajectory {
  const turns = before.transitions.length;
  const nextObservation = part.transitions[0]?.observation;
  return {
    ...before,
    transitions: [
      ...before.transitions.map((transition, turn) =>
        turn === turns - 1 && nextObservation !== undefined ? { ...transition, nextObservation } : transition,
      ),
      ...part.transitions,
    ],
    infos: [...before.infos, ...part.infos],
    segments: [
      ...before.segments,
      ...part.segments.map(({ ids, utterances }) => ({
        ids,
        utterances: utterances.map((utterance) => ({ ...utterance, turn: utterance.turn + turns })),
      })),
    ],
  };
}
