// Files of episodes, read and checked: what `demonstrations.path=FILE.jsonl` names.
import type { EpisodeRecord } from '@bowyer/core';
import { readJsonLines } from './json-lines.js';

/** A demonstration file needs texts and rewards only; further keys are accepted. */
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

/** @throws at the first line that is not an episode, and where there is none at all */
export async function readEpisodes(path: string): Promise<EpisodeRecord[]> {
  const lines = await readJsonLines<EpisodeRecord>(path, demonstrationSchema);
  if (lines.length === 0) throw new Error(`${path} contains no episode`);
  return lines.map(({ value }) => value);
}
