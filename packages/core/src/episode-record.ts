// An episode as one line of JSON, whole: what replays write, what played episodes are saved as, what warm starts imitate.
import type { Demonstration } from '@bowyer/algorithms';
import type { Transition } from '@bowyer/core';
import { readJsonLines } from './json-lines.js';
import { snakeKeys } from '@bowyer/core';

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

/** The one border between an environment's `info` and the file. */
export const recordedInfo = (info: Record<string, unknown>): Record<string, unknown> =>
  snakeKeys(info) as Record<string, unknown>;

/** A demonstration file needs texts and rewards only; further keys are let pass. */
const demonstrationSchema = {
  type: 'object',
  required: ['reset', 'steps'],
  properties: {
    reset: { type: 'object', required: ['observation'], properties: { observation: { type: 'string' } } },
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['action', 'observation', 'reward'],
        properties: { action: { type: 'string' }, observation: { type: 'string' }, reward: { type: 'number' } },
      },
    },
  },
} as const;

/** @throws at the first line that is no episode, and where there is none at all */
export async function readEpisodes(path: string): Promise<EpisodeRecord[]> {
  const lines = await readJsonLines<EpisodeRecord>(path, demonstrationSchema);
  if (lines.length === 0) throw new Error(`${path} holds no episode`);
  return lines.map(({ value }) => value);
}

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

export const recordedReturn = ({ steps }: EpisodeRecord): number => steps.reduce((sum, { reward }) => sum + reward, 0);

/**
 * An episode as texts to imitate: a new one begins wherever an observation does not go on from the observation and
 * action before it, as the player's context does.
 */
export function demonstrationsOf({ reset, steps }: EpisodeRecord): Demonstration[] {
  const demonstrations: Demonstration[] = [];
  let said: string | null = null;
  let { observation } = reset;
  for (const { action, observation: next } of steps) {
    if (said === null || !observation.startsWith(said)) demonstrations.push({ opening: observation, turns: [] });
    else demonstrations.at(-1)!.turns.at(-1)!.reply = observation.slice(said.length);
    demonstrations.at(-1)!.turns.push({ action, reply: '' });
    [said, observation] = [observation + action, next];
  }
  return demonstrations;
}
