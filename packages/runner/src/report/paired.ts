// Finds out which of two settings is better (a setting is a config with runs of several seeds), from the episodes that both have
// played: those with the same item and the same initial seed of the environment.
import { groupBy, bootstrapMeans, mean, quantile, Rng } from '@bowyer/core';
import type { Dialogue, EpisodeSummary } from '@bowyer/views';
import { listEpisodes, readDialogue, type EpisodeList } from './episodes.js';
import { gammaOf } from './run-facts.js';
import { GREEDY } from './turns.js';
import { matchedRuns, type ComparedRun, type Setting } from './settings.js';

interface PairedResult {
  /** The mean return of the second setting minus that of the first. */
  difference: number;
  low: number;
  high: number;
  /** The share of the resampled differences that are above 0. */
  positive: number;
  /** The objects that were resampled for the interval: pairs of runs, or items. */
  resampled: 'runs' | 'items';
  episodes: number;
  runs: number;
  /** The number of runs or items that were resampled. */
  clusters: number;
  /** The pairs of episodes with the largest differences. */
  widest: { first: PlayedEpisode; second: PlayedEpisode }[];
}

export interface PlayedEpisode {
  summary: EpisodeSummary;
  list: EpisodeList;
  gamma: number;
}

/** The number of pairs of runs below which items are resampled instead, since so few runs say nothing about other seeds. */
const ENOUGH_RUNS = 3;
/** The number of resampled runs or items below which a note warns that the interval is too narrow. */
const ENOUGH_CLUSTERS = 10;
const SHOWN_PAIRS = 4;
const RESAMPLES = 4000;

/** Returns null where no episode was played by both. */
export async function pairedDifference(first: Setting, second: Setting): Promise<PairedResult | null> {
  const pairs: { first: PlayedEpisode; second: PlayedEpisode; run: number }[] = [];
  const matched = matchedRuns(first, second);
  for (const [run, [a, b]] of matched.entries()) {
    const [left, right] = [await finalEpisodes(a), await finalEpisodes(b)];
    for (const [key, episode] of left) {
      const other = right.get(key);
      if (other !== undefined) pairs.push({ first: episode, second: other, run });
    }
  }
  if (pairs.length === 0) return null;
  const difference = (pair: (typeof pairs)[number]) => pair.second.summary.return - pair.first.summary.return;
  const runs = new Set(pairs.map(({ run }) => run)).size;
  const resampled = runs >= ENOUGH_RUNS ? 'runs' : 'items';
  const clusters = groupBy(pairs, ({ run, first: { summary } }) =>
    resampled === 'runs' ? String(run) : (summary.item ?? summary.id),
  );
  const differences = [...clusters.values()].map((cluster) => cluster.map(difference));
  const means = bootstrapMeans(differences, Rng.forPurpose(0, 'compare'), RESAMPLES);
  const widest = [...pairs].sort((a, b) => Math.abs(difference(b)) - Math.abs(difference(a))).slice(0, SHOWN_PAIRS);
  return {
    difference: mean(pairs.map(difference)),
    low: quantile(means, 0.025),
    high: quantile(means, 0.975),
    positive: means.filter((value) => value > 0).length / means.length,
    resampled,
    episodes: pairs.length,
    runs,
    clusters: clusters.size,
    widest,
  };
}

/**
 * Reads the episodes that the run's last policy played in the final test; the keys are the environment's seed, the item and the
 * decoding. Without a stored test, they are the episodes of the last evaluation.
 */
async function finalEpisodes({ record }: ComparedRun): Promise<Map<string, PlayedEpisode>> {
  const gamma = gammaOf(record);
  const list = await listEpisodes(record.directory, gamma, ['test', 'eval']);
  const tests = list.episodes.filter(({ source }) => source === 'test');
  const plain = (policy = '') => (policy.endsWith(GREEDY) ? policy.slice(0, -GREEDY.length) : policy);
  const who = plain(tests.at(-1)?.policy);
  const last = list.episodes.at(-1)?.iteration;
  const own =
    tests.length > 0
      ? tests.filter(({ policy }) => plain(policy) === who)
      : list.episodes.filter(({ iteration }) => iteration === last);
  return new Map(
    own.map((summary) => {
      const decoding = summary.policy?.endsWith(GREEDY) ? GREEDY : '';
      return [`${summary.source}${decoding} ${summary.seed} ${summary.item ?? ''}`, { summary, list, gamma }];
    }),
  );
}

/** Reads both complete episodes of a pair, to show them next to each other. */
export const readPair = async (
  { first, second }: PairedResult['widest'][number],
  [a, b]: readonly [string, string],
): Promise<Dialogue[]> =>
  Promise.all(
    [
      { ...first, name: a },
      { ...second, name: b },
    ].map(async ({ summary, list, gamma, name }) => ({
      ...(await readDialogue(list, summary.id, gamma)),
      policy: name,
    })),
  );

export function verdictText(first: string, second: string, result: PairedResult): string {
  const { difference, low, high, positive, resampled, episodes, runs, clusters } = result;
  const isClear = clusters > 1 && (low > 0 || high < 0);
  const [better, worse] = difference >= 0 ? [second, first] : [first, second];
  const size = Math.abs(difference).toPrecision(3);
  const interval = `95 % interval of “${second}” less “${first}”: ${low.toPrecision(3)} … ${high.toPrecision(3)}`;
  const share = `${(100 * (difference >= 0 ? positive : 1 - positive)).toFixed(0)} % of the resamples agree`;
  const basis = `on ${episodes} episodes that both played${runs > 1 ? `, of ${runs} pairs of runs` : ''}`;
  const caution =
    resampled === 'items'
      ? ' The interval is over items: with fewer than three pairs of runs it says nothing of other training seeds.'
      : '';
  const few =
    clusters < ENOUGH_CLUSTERS
      ? ` Caution: only ${clusters} ${clusters === 1 ? resampled.slice(0, -1) : resampled} could be resampled, so the interval is too narrow.`
      : '';
  const answer = isClear
    ? `“${better}” is better than “${worse}” by ${size} in mean return`
    : `No difference is shown: “${better}” is ahead of “${worse}” by ${size} in mean return, which chance can explain`;
  return `${answer}, ${basis} (${interval}; ${share}).${caution}${few}`;
}
