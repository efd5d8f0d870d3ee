// Defines the results of a finished run, the metrics of the policies in the final test, and writes them as text.
import { join } from 'node:path';
import {
  bootstrapMean,
  clusteredMean,
  episodicReturn,
  groupBy,
  Rng,
  gainVerdict,
  writeFileAtomically,
  type Interval,
  type Trajectory,
  type GainVerdict,
} from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import type { Decoding, Metrics } from '@bowyer/algorithms';
import { testedOn, type SplitPlan } from '@bowyer/envs';
import { processesText, type Processes } from '../context/processes.js';
import type { TaskResult } from './breakdown.js';
import { jsonIfThere } from './read-files.js';

/** A row of the table of results: the metrics of a policy over the episodes of the final test. */
export interface PolicyResult {
  name: string;
  decoding?: Decoding;
  /** The metrics, with names of the form `test/…`. */
  metrics: Metrics;
  /** 95 % bootstrap interval of the mean return. */
  interval?: Interval;
}

/** A policy and the episodes that it has played in the final test. */
export interface TestedPolicy {
  name: string;
  decoding?: Decoding;
  trajectories: readonly Trajectory[];
}

/** Describes the items that were played in the final test. */
export interface TestedItems {
  /** The environment's noun for its items in the plural, such as "goals". */
  noun: string;
  /** Whether training plays the same items, so that the test says nothing about unseen ones. */
  shared: boolean;
  /** The number of different items that the final test played. */
  played: number;
  /** The number of test items on which the run has also trained; absent where nothing was trained. */
  trainedOn?: number;
}

/** The result of comparing two policies that have played the same episodes. */
export interface Comparison {
  /** The name of the policy whose mean return is subtracted. */
  baseline: string;
  name: string;
  /** The decoding (sampling or greedy) with which both policies played; absent if nothing was played for this comparison. */
  decoding?: Decoding;
  /** The number of episodes that both policies finished. */
  episodes: number;
  meanDifference: number;
  /** The 95 % interval of the difference, by Student's t over items; absent for a single item. */
  interval?: Interval;
  /** The conclusion from the interval: whether the policy `name` is better than the baseline. */
  verdict: GainVerdict;
}

/** The agent that a run with the config node `watch` returns: the best one, or the initial one. */
export interface HandedOut {
  /** `improved`: the test has shown that the best agent is better than the initial one. Otherwise the initial one is returned. */
  verdict: GainVerdict;
  /** The number of the iteration after which the returned agent was saved; 0 for the initial agent. */
  iteration: number;
  /** The reasons for returning the initial agent; empty if the best agent is returned. */
  reasons: string[];
  /** The warnings that the config node `watch` gave during training, each with its iteration. */
  notes: string[];
}

export interface RunResults {
  /** The number of iterations of the algorithm; 0 where nothing was trained. */
  iterations: number;
  /** The reason why a bound of the config node `guard` stopped the run before its end; absent if none did. */
  stopped?: string;
  /** The reason why a run with the config node `watch` was ended before its last iteration; absent if it was not. */
  ended?: string;
  /** Absent without the config node `watch`. */
  handedOut?: HandedOut;
  /** How playing the rollouts overlapped with the updates; absent for synchronous runs. */
  rollouts?: { mode: 'lock_step' | 'asynchronous'; maxStaleness: number };
  /** The processes of a data-parallel run after it was last started; absent for a single process. */
  processes?: Processes;
  policies: PolicyResult[];
  items?: TestedItems;
  comparisons?: Comparison[];
  /**
   * The metrics by kind of task, or by item where there are few, for each policy and decoding. Keys have the form `NAME
   * (DECODING)`.
   */
  tasks?: Record<string, TaskResult[]>;
  /** The optimal player may ask only the questions of the demonstrations; null where the return cannot be computed. */
  optimalReturn: number | null;
  /**
   * The means of min(Q₁, Q₂) and of the discounted returns over all turns of the final test, which show whether the critic is
   * calibrated; null without a critic.
   */
  calibration: { qMean: number; discountedReturnMean: number } | null;
}

export const writeResults = (directory: string, results: object): Promise<void> =>
  writeFileAtomically(join(directory, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);

/** Null for a run that has not finished. */
export const readResults = <Results>(directory: string): Promise<Results | null> =>
  jsonIfThere(join(directory, 'results.json'));

/**
 * Groups the values of episodes into the clusters that are resampled for an interval: by item if the test has items that training
 * does not play, otherwise each episode is a cluster.
 */
export function clustersOf<T extends { item?: string }>(
  episodes: readonly T[],
  value: (episode: T) => number,
  { shared }: Pick<TestedItems, 'shared'>,
): number[][] {
  if (shared) return episodes.map((episode) => [value(episode)]);
  const clusters = groupBy(episodes, ({ item }, i) => item ?? `episode ${i}`);
  return [...clusters.values()].map((cluster) => cluster.map(value));
}

/** Computes the bootstrap interval of the mean return. The seed is fixed, so that equal episodes give an equal interval. */
export const returnInterval = (episodes: readonly Trajectory[], items: Pick<TestedItems, 'shared'>): Interval =>
  bootstrapMean(clustersOf(episodes, episodicReturn, items), Rng.forPurpose(0, 'bootstrap'));

/** @param trained ids of the items on which the run has trained; null where nothing was trained */
export function testedItems(
  { noun, shared }: Pick<SplitPlan, 'noun' | 'shared'>,
  episodes: readonly Trajectory[],
  trained: ReadonlySet<string> | null,
): TestedItems {
  const played = new Set(episodes.flatMap(({ item }) => item ?? []));
  const trainedOn = trained === null || shared ? {} : { trainedOn: [...played].filter((id) => trained.has(id)).length };
  return { noun, shared, played: played.size, ...trainedOn };
}

/**
 * Indexes a policy's episodes by their numbers: episodes of different policies with the same number have the same item and random
 * numbers.
 */
export const byEpisode = ({ name, trajectories }: TestedPolicy) => ({
  name,
  episodes: new Map(trajectories.map((trajectory) => [String(trajectory.episode), trajectory])),
});

/** Compares two policies on the episodes that both finished: the returns of `second` minus those of `first`. */
export function compared(
  first: { name: string; episodes: ReadonlyMap<string, Trajectory> },
  second: { name: string; episodes: ReadonlyMap<string, Trajectory> },
  items: Pick<TestedItems, 'shared'>,
  decoding?: Decoding,
): Comparison {
  const differences = [...second.episodes].flatMap(([key, trajectory]) => {
    const other = first.episodes.get(key);
    return other === undefined
      ? []
      : [{ item: trajectory.item, difference: episodicReturn(trajectory) - episodicReturn(other) }];
  });
  const value = ({ difference }: { difference: number }) => difference;
  const clusters = clustersOf(differences, value, items);
  const { mean, low, high } = clusteredMean(clusters.length > 0 ? clusters : [[0]]);
  return {
    baseline: first.name,
    name: second.name,
    ...(decoding && { decoding }),
    episodes: differences.length,
    meanDifference: mean,
    ...(Number.isFinite(low) && { interval: { low, high } }),
    verdict: gainVerdict({ low, high }),
  };
}

export const resultHeader = ['policy', 'return', '95 % interval', 'win', 'invalid', 'repeated', 'turns'] as const;

export function resultRows({ policies }: Pick<RunResults, 'policies'>): string[][] {
  const figure = (metrics: Metrics, key: string, digits: number) =>
    `test/${key}` in metrics ? metrics[`test/${key}`].toFixed(digits) : '–';
  const decodings = new Set(policies.map(({ decoding }) => decoding));
  return policies.map(({ name, decoding, metrics, interval }) => [
    decodings.size > 1 ? `${name}, ${decodingText(decoding)}` : name,
    figure(metrics, 'episodic_return', 2),
    interval === undefined ? '–' : intervalText(interval),
    figure(metrics, 'win_rate', 3),
    figure(metrics, 'invalid_share', 3),
    figure(metrics, 'repeated_share', 3),
    figure(metrics, 'episode_turns', 2),
  ]);
}

/** Writes a line about episodes that failed; returns no line if none failed. */
export const failuresText = (failures: readonly string[]): string[] =>
  failures.length === 0 ? [] : [`${failures.length} episodes failed and are left out, the first: ${failures[0]}`];

export const intervalText = ({ low, high }: Interval): string => `${low.toFixed(2)} … ${high.toFixed(2)}`;

const decodingText = (decoding: Decoding = 'sample'): string => (decoding === 'sample' ? 'sampled' : 'greedy');

export const resultText = (results: RunResults): string =>
  [textTable(resultHeader, resultRows(results)), '', ...resultNotes(results)].join('\n');

/**
 * Writes the lines below the table of results: the items that were played, differences between policies on the same episodes, the
 * optimal return, and the calibration of the critic.
 */
export function resultNotes(results: RunResults): string[] {
  const { optimalReturn, calibration, stopped, ended, handedOut, rollouts, processes, comparisons = [] } = results;
  const lines = [playedText(results), ...fewText(results)];
  for (const comparison of comparisons) lines.push(comparisonText(comparison));
  if (handedOut !== undefined) lines.push(...handedOutText(handedOut));
  if (ended !== undefined) lines.push(`ended early: ${ended}`);
  if (optimalReturn !== null)
    lines.push(`perfect player with the demonstrator's questions: ${optimalReturn.toFixed(3)}`);
  if (calibration !== null) {
    const { qMean, discountedReturnMean } = calibration;
    lines.push(`critic: mean Q ${qMean.toFixed(2)}, mean discounted return ${discountedReturnMean.toFixed(2)}`);
  }
  if (rollouts !== undefined) lines.push(rolloutsText(rollouts));
  if (processes !== undefined) lines.push(processesText(processes));
  if (stopped !== undefined) lines.push(`stopped by the guard ${stopped}`);
  return lines;
}

function comparisonText({ baseline, name, decoding, episodes, meanDifference, interval, verdict }: Comparison): string {
  const how = `on the same ${episodes} episodes${decoding ? `, ${decodingText(decoding)}` : ''}`;
  const range = interval === undefined ? 'one item gives no interval' : `95 %: ${intervalText(interval)}`;
  return `${name}: ${verdict} beside ${baseline}, ${signed(meanDifference)} (${range}) ${how}`;
}

/** Writes a number with its sign and two decimals. */
export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

/** The largest number of warnings that the text repeats; all of them are in results.json. */
const SHOWN_NOTES = 4;

const handedOutText = ({ verdict, iteration, reasons, notes }: HandedOut): string[] => [
  verdict === 'improved'
    ? `handed out: the agent of iteration ${iteration}, which is better than the start`
    : `handed out: the start, since no agent was shown to be better (${verdict})`,
  ...[...reasons, ...notes.slice(-SHOWN_NOTES)].map((line) => `  ${line}`),
];

function rolloutsText({ mode, maxStaleness }: NonNullable<RunResults['rollouts']>): string {
  const age = `rollouts by weights of up to ${maxStaleness} iteration${maxStaleness === 1 ? '' : 's'} before`;
  return mode === 'lock_step'
    ? `${age}, in lock step: the same seed gives the same run`
    : `${age}, asynchronous: the same seed gives another run`;
}

/** The number of episodes below which a line warns that the bootstrap interval is too narrow. */
const ENOUGH_EPISODES = 10;

function fewText({ policies }: RunResults): string[] {
  const episodes = policies[0].metrics['test/episodes'];
  if (!(episodes < ENOUGH_EPISODES)) return [];
  return [
    `caution: ${episodes} ${episodes === 1 ? 'episode says' : 'episodes say'} little, and the interval of so few is too narrow`,
  ];
}

/** Writes how many episodes and items were played, as far as the results contain it, which may be from an older version. */
function playedText({ policies, items }: RunResults): string {
  const episodes = policies[0].metrics['test/episodes'];
  const known = policies.flatMap(({ decoding }) => decoding ?? []);
  if (items !== undefined && known.length === 0) return `${episodes} stored episodes of ${items.played} ${items.noun}`;
  const decodings = [...new Set(policies.map(({ decoding }) => decodingText(decoding)))].join(' and ');
  const played = `${decodings} play on ${episodes} held-out ${episodes === 1 ? 'episode' : 'episodes'}`;
  if (items === undefined) return played;
  const { trainedOn } = items;
  const overlap =
    trainedOn === undefined ? '' : trainedOn === 0 ? ', none of them trained on' : `, ${trainedOn} of them TRAINED ON`;
  return `${played}: ${testedOn(items)} (${items.played} different${overlap})`;
}
