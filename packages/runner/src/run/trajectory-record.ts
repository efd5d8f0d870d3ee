// Trajectories as lines of JSON: each piece of text once, however often later observations repeat it.
import { episodicReturn, type TokenSegment, type Trajectory } from '@bowyer/core';

interface TurnRecord {
  /** The environment's own observation, where a context has made another text of it. */
  state?: string;
  action: string;
  /** What the next observation adds after observation and action. */
  reply?: string;
  /** The whole next observation, where it does not continue the text before. */
  next_observation?: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
}

export interface TrajectoryRecord {
  episode: number;
  iteration: number;
  seed: number;
  /** Id of the played item; absent where the environment names none. */
  item?: string;
  /** Number of the episode's group; absent where it is alone. */
  group?: number;
  episodic_return: number;
  opening: string;
  turns: TurnRecord[];
  segments: TokenSegment[];
}

export function toRecord(trajectory: Trajectory, iteration: number): TrajectoryRecord {
  const { episode, seed, item, group, transitions, infos, segments } = trajectory;
  return {
    episode,
    iteration,
    seed,
    ...(item !== undefined && { item }),
    ...(group !== undefined && { group }),
    episodic_return: episodicReturn(trajectory),
    opening: transitions[0]?.observation ?? '',
    turns: transitions.map(({ observation, state, action, nextObservation, reward, terminated, truncated }, turn) => {
      const said = observation + action;
      const next = nextObservation.startsWith(said)
        ? { reply: nextObservation.slice(said.length) }
        : { next_observation: nextObservation };
      return {
        ...(state !== undefined && { state }),
        action,
        ...next,
        reward,
        terminated,
        truncated,
        info: infos[turn],
      };
    }),
    segments,
  };
}

export function fromRecord({ episode, seed, item, group, opening, turns, segments }: TrajectoryRecord): Trajectory {
  let observation = opening;
  const transitions = turns.map(({ state, action, reply, next_observation, reward, terminated, truncated }) => {
    const nextObservation = next_observation ?? observation + action + reply;
    const transition = {
      observation,
      ...(state !== undefined && { state }),
      action,
      reward,
      nextObservation,
      terminated,
      truncated,
    };
    observation = nextObservation;
    return transition;
  });
  return {
    episode,
    seed,
    ...(item !== undefined && { item }),
    ...(group !== undefined && { group }),
    transitions,
    infos: turns.map(({ info }) => info),
    segments,
  };
}
