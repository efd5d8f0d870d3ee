// Computes the scores of methods as papers report them (Agarwal et al. 2021): means per environment, the interquartile mean over all
// runs, and the probability of improvement.
import {
  clusteredMean,
  interquartileMean,
  mean,
  probabilityOfImprovement,
  Rng,
  stratifiedInterval,
  type Interval,
  type TaskScores,
} from '@bowyer/core';
import type { PaperRun } from './paper-runs.js';

/** A statistic with its 95 % interval, which is null for a single run. */
export interface Estimate {
  value: number;
  interval: Interval | null;
}

export interface MethodScores {
  method: string;
  seeds: number;
  /** The mean score in each environment, in the order of `environments`, with intervals by Student's t. */
  means: Estimate[];
  interquartileMean: Estimate;
}

export interface Improvement extends Estimate {
  first: string;
  second: string;
}

export interface PaperScores {
  environments: string[];
  methods: MethodScores[];
  /** For each pair of methods, the probability that a run of the first has a higher score than a run of the second. */
  improvements: Improvement[];
}

/** Throws where a method has no runs in an environment, or more runs in one environment than in another. */
export function paperScores(runs: readonly PaperRun[]): PaperScores {
  const environments = [...new Set(runs.map(({ environment }) => environment))];
  const scores = new Map(
    [...new Set(runs.map(({ method }) => method))].map((method) => [method, taskScores(runs, method, environments)]),
  );
  const methods = [...scores].map(([method, own]): MethodScores => ({
    method,
    seeds: own[0].length,
    means: own.map((values) => ({ value: mean(values), interval: meanInterval(values) })),
    interquartileMean: estimate(`iqm ${method}`, [own], interquartileMean),
  }));
  const pairs = [...scores].flatMap((first, i) => [...scores].slice(i + 1).map((second) => [first, second] as const));
  const improvements = pairs.map(([[first, a], [second, b]]) => ({
    first,
    second,
    ...estimate(`improvement ${first} ${second}`, [a, b], probabilityOfImprovement),
  }));
  return { environments, methods, improvements };
}

function taskScores(runs: readonly PaperRun[], method: string, environments: readonly string[]): TaskScores {
  const scores = environments.map((environment) =>
    runs.filter((run) => run.method === method && run.environment === environment).map(({ score }) => score),
  );
  const counts = scores.map(({ length }) => length);
  if (new Set(counts).size > 1)
    throw new Error(
      `${method} has ${counts.map((count, i) => `${count} runs of ${environments[i]}`).join(' and ')}: ` +
        'a mean over environments needs as many of each\n  give the missing runs, or the folders of one environment',
    );
  return scores;
}

function meanInterval(values: readonly number[]): Interval | null {
  if (values.length < 2) return null;
  const { low, high } = clusteredMean(values.map((value) => [value]));
  return { low, high };
}

function estimate(
  purpose: string,
  methods: readonly TaskScores[],
  statistic: (...methods: TaskScores[]) => number,
): Estimate {
  const isSingle = methods.every((scores) => scores[0].length < 2);
  const interval = isSingle ? null : stratifiedInterval(methods, statistic, Rng.forPurpose(0, purpose));
  return { value: statistic(...methods), interval };
}
