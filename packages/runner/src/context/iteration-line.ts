// An iteration of a watched run, as an object and as a line: what its rollouts were worth, and the figures by which a collapse is seen.
import type { Metrics } from '@bowyer/algorithms';

/** Half the width of a 95 % interval in standard errors. */
const HALF_WIDTH = 1.96;

const figures: [metric: string, text: (value: number) => string][] = [
  ['actor/kl_reference', (x) => `KL from the start ${x.toFixed(3)} a token`],
  ['diagnostics/kl_to_start', (x) => `KL from the start ${x.toFixed(3)} a token`],
  ['actor/update_kl', (x) => `of the update ${x.toFixed(3)} a rollout`],
  ['rollout/utterance_entropy', (x) => `entropy ${x.toFixed(2)}`],
  ['rollout/episode_turns', (x) => `${x.toFixed(1)} answers`],
  ['rollout/tool_share', (x) => `tools in ${percent(x)}`],
  ['rollout/failed_call_share', (x) => `unreadable calls in ${percent(x)}`],
  ['groups/flat_share', (x) => `groups without a difference ${percent(x)}`],
];

/** How far the run has come. */
export interface IterationPlace {
  iteration: number;
  iterations: number;
  /** The time of this iteration by phase. */
  seconds: Record<string, number>;
  /** Seconds that the rest takes, as far as they are known. */
  left: number | null;
}

/** An iteration that has been trained. */
export interface IterationProgress {
  phase: 'training';
  iteration: number;
  iterations: number;
  /** Mean reward of the rollouts, with its 95 % interval. */
  reward: { mean: number; low: number; high: number };
  /** From the start, in nats per token; null where it is not measured. */
  kl: number | null;
  seconds: number;
  /** Until the last iteration, before the final test; null where it is not known. */
  secondsLeft: number | null;
  /** All figures of the iteration, by the names of metrics.jsonl. */
  metrics: Readonly<Metrics>;
}

/** Rollouts of an evaluation or a test that have been played. */
export interface RolloutProgress {
  phase: 'rollouts';
  /** The model that plays: its folder, or `start`, `last` and `best` in the test of a training. */
  model: string;
  done: number;
  total: number;
}

/** Optimizer steps of a training on a dataset. */
export interface StepProgress {
  phase: 'steps';
  done: number;
  total: number;
  /** The loss of the last steps that were logged, in nats per learned token; null before the first of them. */
  loss: number | null;
}

export type RunProgress = IterationProgress | RolloutProgress | StepProgress;

/** Returns the figures of an iteration; null for metrics without a rollout. */
export function iterationProgress(
  metrics: Metrics,
  { iteration, iterations, seconds, left }: IterationPlace,
): IterationProgress | null {
  const mean = metrics['rollout/episodic_return'];
  if (mean === undefined) return null;
  const half = HALF_WIDTH * (metrics['rollout/episodic_return_standard_error'] ?? 0);
  return {
    phase: 'training',
    iteration,
    iterations,
    reward: { mean, low: mean - half, high: mean + half },
    kl: metrics['actor/kl_reference'] ?? metrics['diagnostics/kl_to_start'] ?? null,
    seconds: Object.values(seconds).reduce((sum, one) => sum + one, 0),
    secondsLeft: left,
    metrics,
  };
}

export function iterationLine({
  iteration,
  iterations,
  reward,
  seconds,
  secondsLeft,
  metrics,
}: IterationProgress): string {
  const shown = figures.flatMap(([metric, text]) => (metric in metrics ? [text(metrics[metric])] : []));
  const time = `${duration(seconds)}${secondsLeft === null ? '' : `, about ${duration(secondsLeft)} left`}`;
  const interval = `(95 %: ${reward.low.toFixed(2)} … ${reward.high.toFixed(2)})`;
  return `iteration ${iteration}/${iterations}: reward ${reward.mean.toFixed(2)} ${interval}, ${[...shown, time].join(', ')}`;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const duration = (seconds: number): string =>
  seconds < 100
    ? `${seconds.toFixed(0)} s`
    : seconds < 6000
      ? `${(seconds / 60).toFixed(0)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
