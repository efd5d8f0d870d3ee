// Converts an episode to one line of JSON and back: the format of replays and of saved episodes, which behaviour cloning
// imitates.
import type { Demonstration, DemonstrationTurn } from './demonstration.js';
import { snakeKeys } from './key-case.js';
import type { Transition } from './trajectory.js';

/** A turn of an episode as it is stored in a file. */
export interface RecordedStep {
  action: string;
  observation: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
  /** Whether the action is a slip, a mistake inserted into the demonstration, which is not imitated; false if absent. */
  slip?: boolean;
}

/** An episode as in the file. Keys of `info` are in snake_case: `valid_actions` (in the engine's order) and `score`, if there are any. */
export interface EpisodeRecord {
  reset: { observation: string; info: Record<string, unknown> };
  steps: RecordedStep[];
}

/** Converts the keys of an environment's `info` to snake_case for the file. */
export const recordedInfo = (info: Record<string, unknown>): Record<string, unknown> =>
  snakeKeys(info) as Record<string, unknown>;

/** A turn with the environment's `info` before and after the action. */
export interface InformedTransition extends Transition {
  info?: Record<string, unknown>;
  nextInfo?: Record<string, unknown>;
  slip?: boolean;
}

/** Makes the record of an episode. `kept`: the keys of `info` to record, in the environment's spelling. */
export function recordOf(
  transitions: readonly InformedTransition[],
  kept: { reset: readonly string[]; step: readonly string[] } = { reset: [], step: [] },
): EpisodeRecord {
  const part = (info: Record<string, unknown> = {}, keys: readonly string[]) =>
    recordedInfo(Object.fromEntries(keys.filter((key) => key in info).map((key) => [key, info[key]])));
  return {
    reset: { observation: transitions[0].observation, info: part(transitions[0].info, kept.reset) },
    steps: transitions.map(({ action, nextObservation, reward, terminated, truncated, nextInfo, slip }) => ({
      action,
      observation: nextObservation,
      reward,
      terminated,
      truncated,
      info: part(nextInfo, kept.step),
      ...(slip && { slip }),
    })),
  };
}

export const recordedReturn = ({ steps }: EpisodeRecord): number => steps.reduce((sum, { reward }) => sum + reward, 0);

/** Returns an episode as texts to imitate: each observation continues the text, or begins a new context. */
export function demonstrationOf({ reset, steps }: EpisodeRecord): Demonstration {
  let { observation } = reset;
  const turns = steps.map(
    ({ action, observation: next, reward, terminated, truncated, slip }, i): DemonstrationTurn => {
      const said = observation + action;
      observation = next;
      const end = { reward, terminated, truncated, ...(slip && { slip }) };
      if (i === steps.length - 1) return { action, reply: '', ...end };
      if (next.startsWith(said)) return { action, reply: next.slice(said.length), ...end };
      return { action, reply: '', nextObservation: next, ...end };
    },
  );
  const won = steps.at(-1)?.info?.won;
  return { opening: reset.observation, turns, ...(typeof won === 'boolean' && { won }) };
}

/** Demonstrations, with a summary and a file format. */
export interface DemonstrationSet {
  demonstrations: Demonstration[];
  /**
   * The same episodes with the observations as the environment returned them, from which the config's `context` makes the text
   * that an agent reads; if absent, an agent reads the texts of `demonstrations` unchanged.
   */
  records?: readonly (EpisodeRecord | Demonstration)[];
  /** One line for the log: the number of episodes and their quality. */
  summary: string;
  /** A file of the demonstrations, in a format that `demonstrations.path` reads. */
  file: { name: string; text: () => string };
}

/** Makes a set of demonstrations from records; its file has one record per line. */
export function demonstrationSetOf(records: readonly EpisodeRecord[]): DemonstrationSet {
  const turns = records.reduce((sum, { steps }) => sum + steps.length, 0);
  const meanReturn = records.reduce((sum, record) => sum + recordedReturn(record), 0) / records.length;
  return {
    demonstrations: records.map(demonstrationOf),
    records,
    summary: `${records.length} episodes, ${turns} turns, mean return ${meanReturn.toFixed(2)}`,
    file: {
      name: 'demonstrations.jsonl',
      text: () => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  };
}
