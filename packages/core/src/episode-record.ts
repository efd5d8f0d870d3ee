// An episode as one line of JSON: what replays write, what played episodes are saved as, what warm starts imitate.
import type { Demonstration, DemonstrationSet } from './demonstration.js';
import { snakeKeys } from './key-case.js';
import type { Transition } from './trajectory.js';

export interface RecordedStep {
  action: string;
  observation: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
}

/** Keys of `info` are in snake_case: `valid_actions` (in the engine's order) and `score` where the environment has them. */
export interface EpisodeRecord {
  reset: { observation: string; info: Record<string, unknown> };
  steps: RecordedStep[];
}

/** Converts the keys of an environment's `info` to those of the file. */
export const recordedInfo = (info: Record<string, unknown>): Record<string, unknown> =>
  snakeKeys(info) as Record<string, unknown>;

export function recordOf(transitions: readonly Transition[]): EpisodeRecord {
  return {
    reset: { observation: transitions[0].observation, info: {} },
    steps: transitions.map(({ action, nextObservation, reward, terminated, truncated }) => ({
      action,
      observation: nextObservation,
      reward,
      terminated,
      truncated,
      info: {},
    })),
  };
}

/** Undiscounted. */
export const recordedReturn = ({ steps }: EpisodeRecord): number => steps.reduce((sum, { reward }) => sum + reward, 0);

/**
 * An episode as texts to imitate. A new demonstration begins wherever an observation does not continue the observation and
 * action before it, as the player's context does.
 */
export function demonstrationsOf({ reset, steps }: EpisodeRecord): Demonstration[] {
  const demonstrations: Demonstration[] = [];
  let said: string | null = null;
  let { observation } = reset;
  for (const { action, observation: next, reward, terminated, truncated } of steps) {
    if (said === null || !observation.startsWith(said)) demonstrations.push({ opening: observation, turns: [] });
    else demonstrations.at(-1)!.turns.at(-1)!.reply = observation.slice(said.length);
    demonstrations.at(-1)!.turns.push({ action, reply: '', reward, terminated, truncated });
    [said, observation] = [observation + action, next];
  }
  return demonstrations;
}

/** Stored as JSONL, one record a line. */
export function demonstrationSetOf(records: readonly EpisodeRecord[]): DemonstrationSet {
  const turns = records.reduce((sum, { steps }) => sum + steps.length, 0);
  const meanReturn = records.reduce((sum, record) => sum + recordedReturn(record), 0) / records.length;
  return {
    demonstrations: records.flatMap(demonstrationsOf),
    summary: `${records.length} episodes, ${turns} turns, mean return ${meanReturn.toFixed(2)}`,
    file: {
      name: 'demonstrations.jsonl',
      text: () => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  };
}
