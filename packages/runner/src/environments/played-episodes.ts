// Demonstrations that an environment's expert has played: one JSONL record an episode.
import type { Transition } from '@bowyer/core';
import { demonstrationsOf, recordedReturn, recordOf } from '../episode-record.js';
import type { RunConfig } from '../run-config.js';
import type { DemonstrationSet } from './knowledge.js';

export function playedEpisodes(episodes: readonly (readonly Transition[])[]): DemonstrationSet {
  const records = episodes.map(recordOf);
  const steps = records.reduce((sum, record) => sum + record.steps.length, 0);
  const meanReturn = records.reduce((sum, record) => sum + recordedReturn(record), 0) / records.length;
  return {
    demonstrations: records.flatMap(demonstrationsOf),
    summary: `${records.length} episodes, ${steps} turns, mean return ${meanReturn.toFixed(2)}`,
    file: {
      name: 'demonstrations.jsonl',
      text: () => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  };
}

/** How many episodes the config asks an expert for, and how steady its hand is. */
export function askedOfExpert({ env, demonstrations: { path, count, noise }, seed }: RunConfig) {
  if (path !== null) {
    throw new Error(`demonstrations.path: '${path}' is no .jsonl file, the only kind that ${env.name} has`);
  }
  return { episodes: count, noise, seed };
}
