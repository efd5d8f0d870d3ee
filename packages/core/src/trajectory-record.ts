// Trajectories as lines of JSON: each piece of text once, however often later observations repeat it.
import { packMasks, tokenMaskOf, unpackMasks, type PackedMasks } from './token-mask.js';
import {
  episodicReturn,
  type SegmentUtterance,
  type TokenSegment,
  type Trajectory,
  type TurnEstimate,
} from './trajectory.js';

/** @returns one text per id; together they are the text of all */
export type TokenTexts = (ids: readonly number[]) => string[];

interface TurnRecord {
  /** The environment's own observation, where a context has made another text of it. */
  state?: string;
  /** Ids of what a memory has put into the text that the agent read. */
  retrieved?: string[];
  action: string;
  /** The text that the next observation adds after observation and action. */
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
  /** The advantage that the policy was trained on, else Q − V. */
  advantage?: number;
  /** Valid actions that the critic values most, best first. */
  preferred?: { action: string; q: number }[];
}

interface UtteranceRecord extends Omit<SegmentUtterance, 'tokenMasks'> {
  tokenMasks?: PackedMasks;
  /** The text of the token to which each of the `logprobs` belongs. */
  texts?: string[];
}

/** An utterance as files of version 0.2 have it: the terminator apart from the other tokens, and masks as lists of the allowed ones. */
type FormerUtterance = Omit<UtteranceRecord, 'terminated'> & { terminatorId: number | null; allowedIds?: number[][] };

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

/**
 * Makes the record of a trajectory.
 *
 * @param tokenTexts texts of an utterance's tokens; without it they are not recorded
 */
export function toRecord(trajectory: Trajectory, iteration: number, tokenTexts?: TokenTexts): TrajectoryRecord {
  const { episode, seed, item, group, transitions, infos, segments, estimates } = trajectory;
  return {
    episode,
    iteration,
    seed,
    ...(item !== undefined && { item }),
    ...(group !== undefined && { group }),
    episodic_return: episodicReturn(trajectory),
    opening: transitions[0]?.observation ?? '',
    turns: transitions.map((transition, turn) => {
      const { observation, state, retrieved, action, nextObservation, reward, terminated, truncated } = transition;
      const said = observation + action;
      const next = nextObservation.startsWith(said)
        ? { reply: nextObservation.slice(said.length) }
        : { next_observation: nextObservation };
      return {
        ...(state !== undefined && { state }),
        ...(retrieved !== undefined && { retrieved }),
        action,
        ...next,
        reward,
        terminated,
        truncated,
        info: infos[turn],
        ...(estimates?.[turn] && roundedEstimate(estimates[turn])),
      };
    }),
    segments: segments.map((segment) => segmentRecord(segment, tokenTexts)),
  };
}

const DIGITS = 6;

function roundedEstimate({ preferred, ...values }: TurnEstimate) {
  const short = (value: number) => Number(value.toPrecision(DIGITS));
  return {
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, short(value)])),
    ...(preferred && { preferred: preferred.map(({ action, q }) => ({ action, q: short(q) })) }),
  };
}

const segmentRecord = ({ ids, utterances }: TokenSegment, tokenTexts?: TokenTexts): SegmentRecord => ({
  ids,
  utterances: utterances.map(({ tokenMasks, ...utterance }) => ({
    ...utterance,
    ...(tokenMasks && { tokenMasks: packMasks(tokenMasks) }),
    ...(tokenTexts && { texts: tokenTexts(utterance.ids).slice(0, utterance.logprobs.length) }),
  })),
});

export function fromRecord({ episode, seed, item, group, opening, turns, segments }: TrajectoryRecord): Trajectory {
  let observation = opening;
  const transitions = turns.map((turn) => {
    const { state, retrieved, action, reply, next_observation, reward, terminated, truncated } = turn;
    const nextObservation = next_observation ?? observation + action + reply;
    const transition = {
      observation,
      ...(state !== undefined && { state }),
      ...(retrieved !== undefined && { retrieved }),
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
    segments: segments.map((segment) => ({
      ids: segment.ids,
      utterances: segment.utterances.map(utteranceOf),
    })),
  };
}

function utteranceOf(record: UtteranceRecord | FormerUtterance): SegmentUtterance {
  const { texts: _, tokenMasks, ...utterance } = record;
  const masks = tokenMasks && unpackMasks(tokenMasks);
  if (!('terminatorId' in utterance)) return { ...utterance, ...(masks && { tokenMasks: masks }) };
  const { ids, terminatorId, allowedIds, ...rest } = utterance;
  const allowed = masks ?? allowedIds?.map(tokenMaskOf);
  const terminated = terminatorId !== null;
  return {
    ...rest,
    ids: terminated ? [...ids, terminatorId] : ids,
    terminated,
    ...(allowed && { tokenMasks: allowed }),
  };
}
