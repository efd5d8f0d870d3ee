// Trajectories as lines of JSON: each piece of text once, however often later observations repeat it.
import { episodicReturn, type TokenSegment, type Trajectory, type UtteranceTokens } from '@bowyer/core';

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
  /** min(Q₁, Q₂) of the action, in units of the return; where a critic has judged it. */
  q?: number;
  /** V of the state before the action. */
  v?: number;
  /** What the policy was trained on, else Q − V. */
  advantage?: number;
  /** Nats per token: of the policy's distribution over the utterance. */
  entropy?: number;
  /** What the environment accepted, where the step before does not list it. */
  valid_actions?: string[];
  /** Valid actions that the critic values most, best first. */
  preferred?: { action: string; q: number }[];
}

interface UtteranceRecord extends UtteranceTokens {
  /** What each of the `logprobs` belongs to, as text. */
  texts?: string[];
}

type SegmentRecord = Omit<TokenSegment, 'utterances'> & { utterances: UtteranceRecord[] };

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
  segments: SegmentRecord[];
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
