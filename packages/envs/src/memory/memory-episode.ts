// Converts a successful episode to the form in which the memory stores it: the environment's observations and the actions,
// without texts that the config's node `context` has added.
import { episodicReturn, recordedReturn, type EpisodeRecord, type Trajectory } from '@bowyer/core';

export interface MemoryEpisode {
  /** The episode's name, which says where it comes from, such as `demonstration 17` or `rollout 230`. */
  id: string;
  /** The id of the item (problem, world) that was played, if it is known. */
  item?: string;
  /** The description of the task, if the environment gives it separately from its observations. */
  task?: string;
  return: number;
  /** The turns: each observation of the environment, and the action that followed it. */
  turns: { observation: string; action: string }[];
}

/**
 * Converts a recorded episode; returns null if the episode was not successful. @param minReturn smallest return of a success;
 * null: `info.won` decides, or, without it, a return above 0
 */
export function episodeOfRecord(record: EpisodeRecord, number: number, minReturn: number | null): MemoryEpisode | null {
  const { reset, steps } = record;
  const total = recordedReturn(record);
  if (!isSuccess(total, steps.at(-1)?.info.won, minReturn)) return null;
  const observations = [reset.observation, ...steps.map(({ observation }) => observation)];
  const turns = steps.map(({ action, slip }, i) => ({ observation: observations[i], action, slip }));
  return {
    id: demonstrationId(number),
    ...named(reset.info.item, reset.info.task_description),
    return: total,
    turns: turns.filter(({ slip }) => !slip).map(({ observation, action }) => ({ observation, action })),
  };
}

export const demonstrationId = (number: number): string => `demonstration ${number}`;

/** Converts a trajectory of a rollout; returns null if the episode was not successful, as in `episodeOfRecord`. */
export function episodeOfTrajectory(trajectory: Trajectory, minReturn: number | null): MemoryEpisode | null {
  const { episode, item, task, transitions, infos } = trajectory;
  const total = episodicReturn(trajectory);
  if (!isSuccess(total, infos.at(-1)?.won, minReturn)) return null;
  return {
    id: `rollout ${episode}`,
    ...named(item, task),
    return: total,
    turns: transitions.map(({ state, observation, action }) => ({ observation: state ?? observation, action })),
  };
}

const isSuccess = (total: number, won: unknown, minReturn: number | null): boolean =>
  minReturn === null ? (typeof won === 'boolean' ? won : total > 0) : total >= minReturn;

const named = (item: unknown, task: unknown) => ({
  ...((typeof item === 'string' || typeof item === 'number') && { item: String(item) }),
  ...(typeof task === 'string' && { task }),
});
