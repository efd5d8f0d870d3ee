// Converts trajectories to JSON lines that contain each text once, even if later observations repeat it.
import { packMasks, tokenMaskOf, unpackMasks, type PackedMasks } from './token-mask.js';
import {
  episodicReturn,
  type SegmentUtterance,
  type TokenSegment,
  type Trajectory,
  type TurnEstimate,
} from './trajectory.js';

/** Decodes ids to one text per token; their concatenation is the text of all tokens. */
export type TokenTexts = (ids: readonly number[]) => string[];

interface TurnRecord {
  /** The environment's own observation; absent if the agent read exactly this text. */
  state?: string;
  /** Ids of the past episodes or turns that the memory has inserted into the agent's text as examples. */
  retrieved?: string[];
  action: string;
  /** The text that the next observation adds after this observation and the action. */
  reply?: string;
  /** The whole next observation, if it does not continue the earlier text. */
  next_observation?: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
  /** min(Q₁, Q₂) of the action, in units of the return, if a critic has estimated it. */
  q?: number;
  /** V of the state before the action. */
  v?: number;
  /** The advantage on which the policy was trained; otherwise Q − V. */
  advantage?: number;
  /** The valid actions with the highest values of the critic, best first. */
  preferred?: { action: string; q: number }[];
}

interface UtteranceRecord extends Omit<SegmentUtterance, 'tokenMasks'> {
  tokenMasks?: PackedMasks;
  /** The token texts, one for each of `logprobs`. */
  texts?: string[];
}

/** An utterance in files of version 0.2: the terminator is separate from the other tokens, and masks are lists of the allowed ids. */
type FormerUtterance = Omit<UtteranceRecord, 'terminated'> & { terminatorId: number | null; allowedIds?: number[][] };

type SegmentRecord = Omit<TokenSegment, 'utterances'> & { utterances: UtteranceRecord[] };

export interface TrajectoryRecord {
  episode: number;
  iteration: number;
  seed: number;
  /** The id of the played item; absent if the environment does not state one. */
  item?: string;
  /** The number of the episode's group; absent if no other episode is in its group. */
  group?: number;
  episodic_return: number;
  opening: string;
  turns: TurnRecord[];
  segments: SegmentRecord[];
}

/** Makes the record of a trajectory. `tokenTexts` decodes an utterance's tokens; without it, their texts are not recorded. */
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
