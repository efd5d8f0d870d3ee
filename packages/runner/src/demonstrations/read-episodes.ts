// Files of episodes, read and checked: what `demonstrations.path=FILE.jsonl` names. Two formats: a record of texts for each
// episode (task=demonstrations, play and replay write it), and the trajectories of a run (trajectories/*.jsonl).
import { recordedReturn, type Demonstration, type EpisodeRecord } from '@bowyer/core';
import type { TrajectoryRecord } from '../run/trajectory-record.js';
import { readJsonLines } from './json-lines.js';

const turn = (...texts: string[]) => ({
  type: 'object',
  required: [...texts, 'reward'],
  properties: { ...Object.fromEntries(texts.map((key) => [key, { type: 'string' }])), reward: { type: 'number' } },
});
const turns = (...texts: string[]) => ({ type: 'array', minItems: 1, items: turn(...texts) });

/** Texts and rewards are required; further keys are accepted. */
const episodeSchema = {
  type: 'object',
  required: ['reset', 'steps'],
  properties: {
    reset: { type: 'object', required: ['observation'], properties: { observation: { type: 'string' } } },
    steps: turns('action', 'observation'),
  },
} as const;

const trajectorySchema = {
  type: 'object',
  required: ['opening', 'turns'],
  properties: { opening: { type: 'string' }, turns: turns('action') },
} as const;

const schema = { if: { required: ['turns'] }, then: trajectorySchema, else: episodeSchema };

/** An episode of a file, and its undiscounted return. */
export interface StoredEpisode {
  /** What the environment said, or what an agent of a run has read. */
  episode: EpisodeRecord | Demonstration;
  episodicReturn: number;
}

/** @throws at the first line that is not an episode, and where there is none at all */
export async function readEpisodes(path: string): Promise<StoredEpisode[]> {
  const lines = await readJsonLines<EpisodeRecord | TrajectoryRecord>(path, schema);
  if (lines.length === 0) throw new Error(`${path} contains no episode`);
  return lines.map(({ value }) =>
    'turns' in value
      ? { episode: demonstrationOfTrajectory(value), episodicReturn: sumOf(value.turns) }
      : { episode: value, episodicReturn: recordedReturn(value) },
  );
}

const sumOf = (turns: readonly { reward: number }[]) => turns.reduce((sum, { reward }) => sum + reward, 0);

function demonstrationOfTrajectory({ opening, turns }: TrajectoryRecord): Demonstration {
  return {
    opening,
    turns: turns.map(({ action, reply, next_observation, reward, terminated, truncated }, i) => {
      const isLast = i === turns.length - 1;
      const follows = isLast || next_observation === undefined ? {} : { nextObservation: next_observation };
      return { action, reply: isLast ? '' : (reply ?? ''), ...follows, reward, terminated, truncated };
    }),
  };
}
