// Watches a training whose best agent is returned to the user, so that no agent is returned that got worse.
//
//   - The initial agent is evaluated first, and is the first candidate for the best one; the last agent is evaluated too.
//   - Every evaluation plays the same episodes with the same random numbers, so that two agents are compared episode by episode.
//   - Metrics of a rollout outside of the initial range give a warning, and the next evaluation comes earlier.
//   - An agent that is significantly worse than the best evaluation has collapsed: training returns to the best agent so far with half
//     the learning rate, and ends if that has happened too often.
//   - Training ends if nearly all groups of the rollouts have equal returns.
import {
  clusteredMean,
  episodicReturn,
  mean,
  standardDeviation,
  standardError,
  type ClusteredMean,
  type Trajectory,
} from '@bowyer/core';
import type { Metrics } from '../rollout/run-hooks.js';

export interface WatchOptions {
  /** The number of collapses after which training continues from the best agent; the next collapse ends the run. */
  rollbacks: number;
  /** The run ends after this many iterations in which nearly all groups had equal returns; null for no such end. */
  signalPatience: number | null;
}

/** Returns of an evaluation's episodes, by episode number. */
type Returns = Record<number, { value: number; item: string | null }>;

/** The metrics of the initial agent's rollout, by name, with which later rollouts are compared. */
interface Reference {
  returns: { mean: number; standardError: number };
  figures: Record<string, number>;
}

/** The state of the watch, which is part of every checkpoint. */
export interface WatchState {
  /** The returns of the evaluation of the initial agent. */
  start: Returns;
  /** The returns of the evaluation with the highest mean return so far. */
  top: Returns;
  /** The number of iterations that the kept agent (the best one so far) was trained for; 0 for the initial agent. */
  kept: number;
  reference: Reference | null;
  /** Shares of groups with equal returns, of the newest iterations. */
  flatShares: number[];
  /** Warnings that currently apply, so that each is given once. */
  warned: string[];
  rollbacks: number;
  /** The iteration of the newest evaluation that a warning caused. */
  alarmedAt: number;
  /** Warnings and returns to the best agent, with their iterations. */
  notes: string[];
  /** The reason why the run ended before its last iteration; absent if it did not. */
  ended?: string;
}

/** The share of groups with equal returns from which on an iteration counts as one with hardly any signal. */
const FLAT = 0.9;
/** The least number of iterations between two evaluations that warnings cause. */
const ALARM_PAUSE = 2;
/** The confidence with which a collapsed agent must be worse; high, since a run has many evaluations. */
const COLLAPSE_LEVEL = 0.99;
/** The returns of rollouts must have fallen by this many standard errors for a warning. */
const FALLEN = 3;

export class Watch {
  private constructor(
    readonly state: WatchState,
    private readonly options: WatchOptions,
  ) {}

  /** Begins to watch, with an evaluation of the initial agent. */
  static begin(episodes: readonly Trajectory[], options: WatchOptions): Watch {
    const start = returnsOf(episodes);
    const none = { reference: null, flatShares: [], warned: [], rollbacks: 0, alarmedAt: -ALARM_PAUSE, notes: [] };
    return new Watch({ start, top: start, kept: 0, ...none }, options);
  }

  static resume(state: WatchState, options: WatchOptions): Watch {
    return new Watch(state, options);
  }

  /**
   * Compares a rollout with the first one, of the initial agent. Returns new warnings, whether an evaluation is due, and the
   * reason to end the run or null.
   */
  rollout(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): RolloutFindings {
    const { state } = this;
    const returns = rollout.map(episodicReturn);
    const now = { mean: mean(returns), standardError: standardError(returns) };
    state.reference ??= { returns: now, figures: watchedFigures(metrics) };
    const found = warningsOf(state.reference, now, metrics);
    const fresh = found.filter(({ name }) => !state.warned.includes(name));
    state.warned = found.map(({ name }) => name);
    const calls = fresh.some(({ callsForEvaluation }) => callsForEvaluation);
    const isAlarm = calls && iteration - state.alarmedAt >= ALARM_PAUSE;
    if (isAlarm) state.alarmedAt = iteration;
    const warnings = fresh.map(({ text }) => `iteration ${iteration + 1}: ${text}`);
    state.notes = state.notes.concat(warnings);
    return { warnings, isAlarm, end: this.#withoutSignal(metrics, returns) };
  }

  /** Returns the reason to end the run if hardly any group gave a signal for `signalPatience` iterations, else null. */
  #withoutSignal(metrics: Metrics, returns: readonly number[]): string | null {
    const { signalPatience } = this.options;
    if (signalPatience === null) return null;
    const { state } = this;
    const flat = metrics['groups/flat_share'] ?? (standardDeviation(returns) === 0 ? 1 : 0);
    state.flatShares = [...state.flatShares, flat].slice(-signalPatience);
    const share = mean(state.flatShares);
    if (state.flatShares.length < signalPatience || share < FLAT) return null;
    const average = mean(returns);
    return (
      `there is nothing to learn from: in ${percent(share)} of the groups of the last ${signalPatience} iterations all rollouts of a ` +
      `task had the same return (mean ${number(average)})\n` +
      '  where the agent is near its optimum this is the end; else more rollouts per task (algorithm.rollout.group_size, and algorithm.rollout.size with it), easier ' +
      'tasks, a reward with parts, or a supervised start (task=finetune) give rollouts that differ'
    );
  }

  /**
   * Compares an evaluation with that of the initial agent and with the highest one so far.
   *
   * The run returns the evaluated agent if it is better than the initial one, and at most a standard error below the highest
   * evaluation, which is partly luck (the one-standard-error rule of Breiman et al. 1984, Classification and Regression Trees,
   * section 3.4.3).
   */
  evaluation(iteration: number, episodes: readonly Trajectory[]): EvaluationFindings {
    const { state } = this;
    const returns = returnsOf(episodes);
    const gain = difference(state.start, returns);
    const toTop = difference(state.top, returns, COLLAPSE_LEVEL);
    const metrics = { 'eval/gain': gain.mean, 'eval/gain_low': gain.low, 'eval/gain_high': gain.high };
    const finite = Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value)));
    if (toTop.high >= 0) {
      const isKept = gain.mean > 0 && toTop.mean >= -toTop.standardError;
      if (isKept) state.kept = iteration + 1;
      if (toTop.mean > 0) state.top = returns;
      return { metrics: finite, isKept, collapse: null };
    }
    state.rollbacks++;
    const from = state.kept === 0 ? 'the start' : `iteration ${state.kept}`;
    const isEnd = state.rollbacks > this.options.rollbacks;
    const what =
      `the agent has collapsed: its mean return in the evaluation is lower than the highest one by ${number(-toTop.mean)} ` +
      `(99 % interval of the difference: ${number(toTop.low)} … ${number(toTop.high)})`;
    const then = isEnd
      ? `training ends with ${from}${this.options.rollbacks > 0 ? `, after ${this.options.rollbacks} returns with smaller steps` : ''}`
      : `training returns to ${from} and continues with half the step`;
    state.flatShares = [];
    state.warned = [];
    const text = `iteration ${iteration + 1}: ${what}: ${then}`;
    state.notes.push(text);
    return { metrics: finite, isKept: false, collapse: { text, isEnd } };
  }
}

interface RolloutFindings {
  warnings: string[];
  isAlarm: boolean;
  end: string | null;
}

interface EvaluationFindings {
  metrics: Metrics;
  /** Whether the evaluated agent replaces the one that the run returns. */
  isKept: boolean;
  /** The collapse, if the agent is significantly worse than the highest evaluation; else null. */
  collapse: { text: string; isEnd: boolean } | null;
}

const returnsOf = (episodes: readonly Trajectory[]): Returns =>
  Object.fromEntries(
    episodes.map((episode) => [episode.episode, { value: episodicReturn(episode), item: episode.item ?? null }]),
  );

/** `second` minus `first` over the episodes that both have finished; episodes of one item form a cluster. */
function difference(first: Returns, second: Returns, level = 0.95): ClusteredMean {
  const clusters = new Map<string, number[]>();
  for (const [episode, { value, item }] of Object.entries(second)) {
    const other = first[Number(episode)];
    if (other === undefined) continue;
    const key = item ?? `episode ${episode}`;
    clusters.set(key, [...(clusters.get(key) ?? []), value - other.value]);
  }
  // Evaluations without a common episode cannot be compared.
  if (clusters.size === 0) return { mean: 0, standardError: Infinity, low: -Infinity, high: Infinity, clusters: 0 };
  return clusteredMean([...clusters.values()], level);
}

interface Warning {
  name: string;
  text: string;
  callsForEvaluation: boolean;
}

/** The name of a value that is computed from several metrics of a rollout. */
const TOKENS_PER_TURN = 'tokens per turn';

/** A bound of a rollout's metric, its warning, and whether exceeding it makes an evaluation due immediately. */
interface Bound {
  metric: string;
  isBeyond: (now: number, first: number) => boolean;
  text: (now: string, first: string) => string;
  callsForEvaluation: boolean;
}

const bounds: readonly Bound[] = [
  {
    metric: 'rollout/utterance_entropy',
    isBeyond: (now, first) => now > 2 * first + 0.1,
    text: (now, first) => `the entropy of an answer rose from ${first} to ${now} nats: its format may dissolve`,
    callsForEvaluation: true,
  },
  {
    metric: 'rollout/utterance_entropy',
    isBeyond: (now, first) => now < 0.1 * first,
    text: (now, first) => `the entropy of an answer fell from ${first} to ${now} nats: it no longer explores`,
    callsForEvaluation: false,
  },
  {
    metric: 'rollout/episode_turns',
    isBeyond: (now, first) => now < 0.6 * first,
    text: (now, first) => `rollouts have ${now} turns, and had ${first}: it may skip what it should do`,
    callsForEvaluation: true,
  },
  {
    metric: 'rollout/episode_turns',
    isBeyond: (now, first) => now > 2 * first,
    text: (now, first) => `rollouts have ${now} turns, and had ${first}`,
    callsForEvaluation: true,
  },
  {
    metric: TOKENS_PER_TURN,
    isBeyond: (now, first) => now > 2 * first,
    text: (now, first) => `answers have ${now} tokens, and had ${first}`,
    callsForEvaluation: true,
  },
  {
    metric: 'rollout/tool_share',
    isBeyond: (now, first) => now < 0.6 * first,
    text: (now, first) => `the share of answers that call a tool fell from ${first} to ${now}`,
    callsForEvaluation: true,
  },
  {
    metric: 'rollout/failed_call_share',
    isBeyond: (now, first) => now > first + 0.2,
    text: (now, first) => `the share of answers with a call that cannot be read rose from ${first} to ${now}`,
    callsForEvaluation: true,
  },
  {
    metric: 'rollout/invalid_share',
    isBeyond: (now, first) => now > first + 0.2,
    text: (now, first) => `the share of invalid actions rose from ${first} to ${now}`,
    callsForEvaluation: true,
  },
];

function watchedFigures(metrics: Metrics): Record<string, number> {
  const turns = metrics['rollout/episode_turns'] * metrics['rollout/episodes'];
  const all: Metrics = { ...metrics, [TOKENS_PER_TURN]: metrics['rollout/tokens'] / turns };
  return Object.fromEntries(bounds.flatMap(({ metric }) => (metric in all ? [[metric, all[metric]]] : [])));
}

function warningsOf(reference: Reference, returns: Reference['returns'], metrics: Metrics): Warning[] {
  const figures = watchedFigures(metrics);
  const found = bounds.flatMap(({ metric, isBeyond, text, callsForEvaluation }, i): Warning[] => {
    const [now, first] = [figures[metric], reference.figures[metric]];
    if (now === undefined || first === undefined || !isBeyond(now, first)) return [];
    return [{ name: `${i}/${metric}`, text: text(number(now), number(first)), callsForEvaluation }];
  });
  const error = Math.hypot(returns.standardError, reference.returns.standardError);
  if (returns.mean < reference.returns.mean - FALLEN * error)
    found.push({
      name: 'return',
      text: `the mean return of rollouts fell from ${number(reference.returns.mean)} to ${number(returns.mean)}`,
      callsForEvaluation: true,
    });
  if (metrics['actor/update_undone'] === 1)
    found.push({
      name: 'undone',
      text: `the update was undone: it changed the policy by ${number(metrics['actor/update_kl'])} nats per episode`,
      callsForEvaluation: false,
    });
  return found;
}

const number = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '∞');
const percent = (share: number): string => `${Math.round(100 * share)} %`;
