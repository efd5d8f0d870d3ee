// Searches the episodes of a run by their texts, and reads single episodes, for the dashboard's page.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPartedJsonl } from '@bowyer/core';
import { excerpt } from '@bowyer/serving';
import type { Dialogue, EpisodeSummary } from '@bowyer/views';
import { listEpisodes, readDialogue, SOURCES, type EpisodeList } from '../../report/episodes.js';
import { gammaOf, readRunRecord } from '../../report/run-facts.js';
import { summaryOf, type StoredEpisode } from '../../report/turns.js';
import { Refused } from './refused.js';

const MOST_FOUND = 200;

/** Finds the episodes that contain a text, regardless of case, the latest first; returns all episodes for an empty text. */
export async function searchEpisodes(
  directory: string,
  text: string,
): Promise<{ episodes: EpisodeSummary[]; found: number }> {
  const gamma = gammaOf(await readRunRecord(directory));
  const wanted = text.toLowerCase();
  const episodes: EpisodeSummary[] = [];
  let found = 0;
  for (const source of SOURCES) {
    await readPartedJsonl(join(directory, 'trajectories', `${source}.jsonl`), (record: StoredEpisode) => {
      if (!textOf(record).includes(wanted)) return;
      found++;
      episodes.push(summaryOf(record, source, gamma));
      if (episodes.length > MOST_FOUND) episodes.shift();
    });
  }
  return { episodes: episodes.reverse(), found };
}

const lists = new Map<string, { stamp: string; list: EpisodeList }>();

/** Throws Refused if the run has no such episode. */
export async function readEpisode(directory: string, id: string): Promise<Dialogue> {
  const gamma = gammaOf(await readRunRecord(directory));
  const list = await listOf(directory, gamma);
  if (!list.places.has(id)) throw new Refused(404, `the run has no episode '${excerpt(id)}'`);
  return readDialogue(list, id, gamma);
}

/** Lists the episodes of a run. The list of the run that was requested last is cached until its files change. */
async function listOf(directory: string, gamma: number): Promise<EpisodeList> {
  const paths = SOURCES.map((source) => join(directory, 'trajectories', `${source}.jsonl`));
  const stamp = (await Promise.all(paths.map((path) => stat(path).catch(() => null)))).map((one) => one?.size).join();
  const known = lists.get(directory);
  if (known?.stamp === stamp) return known.list;
  lists.clear();
  const list = await listEpisodes(directory, gamma);
  lists.set(directory, { stamp, list });
  return list;
}

const textOf = ({ opening, turns }: StoredEpisode): string =>
  [opening, ...turns.flatMap(({ action, reply, next_observation }) => [action, reply ?? next_observation ?? ''])]
    .join('\n')
    .toLowerCase();
