// Lists the episodes of a run, and reads those that the report shows in full.
import { join } from 'node:path';
import { groupBy, readLineAt, readPartedJsonl, type LinePlace } from '@bowyer/core';
import type { Dialogue, EpisodeSource, EpisodeSummary } from '@bowyer/views';
import { readAgentRollouts, withCalls, type AgentRollouts } from './agent-rollouts.js';
import { rolloutOf } from './agent-tree.js';
import { dialogueOf, summaryOf, type StoredEpisode } from './turns.js';

export const SOURCES: readonly EpisodeSource[] = ['rollout', 'eval', 'test'];

export interface EpisodeList {
  directory: string;
  episodes: EpisodeSummary[];
  /** For each episode, by its id, the byte position of its line in its JSONL file. */
  places: Map<string, LinePlace>;
  /** Notes for the reader of the report on damaged or missing files. */
  notes: string[];
}

/** Lists all episodes of a run, in the order in which they were played. */
export async function listEpisodes(
  directory: string,
  gamma: number,
  sources: readonly EpisodeSource[] = SOURCES,
): Promise<EpisodeList> {
  const list: EpisodeList = { directory, episodes: [], places: new Map(), notes: [] };
  for (const source of sources) {
    const path = join(directory, 'trajectories', `${source}.jsonl`);
    const add = (record: StoredEpisode, place: LinePlace) => {
      const summary = summaryOf(record, source, gamma);
      list.episodes.push(summary);
      list.places.set(summary.id, place);
    };
    const { torn } = await readPartedJsonl(path, add);
    if (torn !== null) list.notes.push(torn);
  }
  return list;
}

/**
 * Reads complete episodes, with the model calls if a user's agent has played them.
 *
 * @param chosen ids of the episodes, each with the reasons for its choice
 */
export async function readDialogues(
  { directory, places, episodes }: EpisodeList,
  gamma: number,
  chosen: ReadonlyMap<string, readonly string[]>,
): Promise<{ dialogues: Dialogue[]; rollouts: AgentRollouts | null }> {
  const sources = new Map(episodes.map(({ id, source }) => [id, source]));
  const read: { episode: StoredEpisode; dialogue: Dialogue }[] = [];
  for (const [id, reasons] of chosen) {
    const episode = JSON.parse(await readLineAt(places.get(id)!)) as StoredEpisode;
    read.push({ episode, dialogue: dialogueOf(episode, sources.get(id)!, gamma, reasons) });
  }
  const names = new Set(read.flatMap(({ episode }) => rolloutOf(episode) ?? []));
  const rollouts = await readAgentRollouts(directory, names);
  return { dialogues: read.map(({ episode, dialogue }) => withCalls(dialogue, episode, rollouts)), rollouts };
}

export async function readDialogue(list: EpisodeList, id: string, gamma: number): Promise<Dialogue> {
  const { dialogues } = await readDialogues(list, gamma, new Map([[id, []]]));
  return dialogues[0];
}

const [BEST, WORST, SURPRISING, LATEST] = [4, 4, 4, 4];
/** The number of evaluation items that are shown over the course of the run, and of episodes of each. */
const [FOLLOWED, TIMES] = [3, 5];
/** The share of the list, played by a policy near the final one, that has the best and the worst episodes. */
const RECENT = 0.5;

/** Chooses the episodes that the report shows in full. Returns their ids with the reasons for each, in the order of the page. */
export function chosenEpisodes(episodes: readonly EpisodeSummary[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  const choose = (chosen: readonly EpisodeSummary[], reason: string) => {
    for (const { id } of chosen) reasons.set(id, [...(reasons.get(id) ?? []), reason]);
  };
  // If there was a final test, the episodes are chosen among those of its last policy.
  const tests = episodes.filter(({ source }) => source === 'test');
  const lastTested = tests.filter(({ policy }) => policy === tests.at(-1)?.policy);
  const rollouts = episodes.filter(({ source }) => source === 'rollout');
  const recent = rollouts.slice(Math.floor(rollouts.length * (1 - RECENT)));
  const pool = tests.length > 0 ? (lastTested.length > 0 ? lastTested : tests) : recent;
  // The list is sorted with the newest episodes first, so that among episodes with equal returns the newest one is chosen.
  const byReturn = [...pool].reverse().sort((a, b) => b.return - a.return);
  choose(byReturn.slice(0, BEST), 'best');
  choose(byReturn.slice(Math.max(byReturn.length - WORST, BEST)).reverse(), 'worst');
  const surprising = episodes.filter(({ surprise }) => surprise !== null);
  choose(surprising.sort((a, b) => b.surprise! - a.surprise!).slice(0, SURPRISING), 'most surprising');
  choose(rollouts.slice(-LATEST).reverse(), 'last');
  for (const group of followed(episodes)) choose(group, 'over time');
  return reasons;
}

/**
 * Selects the episodes of the first few evaluation items, which are the same in every evaluation, to show how the agent's play
 * changes over the run.
 */
function followed(episodes: readonly EpisodeSummary[]): EpisodeSummary[][] {
  const evaluated = episodes.filter(({ source }) => source !== 'rollout');
  const groups = groupBy(evaluated, ({ source, episode }) => `${source}/${episode}`);
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .slice(0, FOLLOWED)
    .map((group) => {
      const step = (group.length - 1) / (Math.min(TIMES, group.length) - 1);
      return Array.from({ length: Math.min(TIMES, group.length) }, (_, i) => group[Math.round(i * step)]);
    });
}
