// Reads and checks files of episodes, such as `demonstrations.path=FILE.jsonl`. There are two formats: a record of texts for each
// episode (written by task=demonstrations, play and replay), and the trajectories of a run (trajectories/*.jsonl).
import {
  recordedReturn,
  type Demonstration,
  type EpisodeRecord,
  type RecordedStep,
  type TrajectoryRecord,
} from '@bowyer/core';
import { EpisodeKeys, isSlip } from './episode-keys.js';
import { atLine, readJsonLines } from './json-lines.js';
import { LOSS_KEYS } from '@bowyer/conversations';

const turn = (...texts: string[]) => ({
  type: 'object',
  required: [...texts, 'reward'],
  properties: {
    ...Object.fromEntries(texts.map((key) => [key, { type: 'string' }])),
    reward: { type: 'number' },
    slip: { type: 'boolean' },
  },
});
const turns = (...texts: string[]) => ({ type: 'array', minItems: 1, items: turn(...texts) });

/** The JSON Schema of an episode with the environment's texts; texts and rewards are required. */
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
  /** The episode with the environment's own texts, or with the texts that an agent of a run has read. */
  episode: EpisodeRecord | Demonstration;
  episodicReturn: number;
}

interface EpisodeFile {
  episodes: StoredEpisode[];
  notes: string[];
}

/** Throws at the first line that is not an episode, for keys that nothing reads, and for a file without episodes. */
export async function readEpisodes(path: string): Promise<EpisodeFile> {
  const lines = await readJsonLines<EpisodeRecord | TrajectoryRecord>(path, schema);
  if (lines.length === 0) throw new Error(`${path} contains no episode`);
  const keys = new EpisodeKeys();
  for (const { line, value } of lines)
    if ('turns' in value) keys.checkTrajectory(`line ${line}`, value, ['slip', ...LOSS_KEYS]);
    else keys.checkRecord(`line ${line}`, value);
  const notes = keys.notes(path);
  return { episodes: lines.map(({ line, value }) => atLine(path, line, () => storedEpisode(value))), notes };
}

function storedEpisode(value: EpisodeRecord | TrajectoryRecord): StoredEpisode {
  if ('turns' in value) return { episode: demonstrationOfTrajectory(value), episodicReturn: sumOf(value.turns) };
  return { episode: { ...value, steps: value.steps.map(stepOf) }, episodicReturn: recordedReturn(value) };
}

/**
 * Returns a step whose mark for actions that are not learned is the key `slip`, instead of the corresponding key of another
 * program.
 */
function stepOf(step: RecordedStep, i: number): RecordedStep {
  const own = { ...step };
  for (const key of ['slip', ...LOSS_KEYS]) Reflect.deleteProperty(own, key);
  return { ...own, ...(isSlip(step, i) && { slip: true }) };
}

const sumOf = (turns: readonly { reward: number }[]) => turns.reduce((sum, { reward }) => sum + reward, 0);

function demonstrationOfTrajectory({ opening, turns }: TrajectoryRecord): Demonstration {
  return {
    opening,
    turns: turns.map((turn, i) => {
      const { action, reply, next_observation, reward, terminated, truncated } = turn;
      const isLast = i === turns.length - 1;
      const follows = isLast || next_observation === undefined ? {} : { nextObservation: next_observation };
      const end = { reward, terminated, truncated, ...(isSlip(turn, i) && { slip: true }) };
      return { action, reply: isLast ? '' : (reply ?? ''), ...follows, ...end };
    }),
  };
}
