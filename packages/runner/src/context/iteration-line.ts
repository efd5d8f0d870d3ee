// Reports an iteration of a watched run as an object and as a line: the rewards of its rollouts, and the metrics that show a
// collapse.
import type { Metrics } from '@bowyer/algorithms';

/** The half-width of a 95 % interval, in standard errors. */
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

/** The progress of the run. */
export interface IterationPlace {
  iteration: number;
  iterations: number;
  /** Seconds of this iteration, by phase. */
  seconds: Record<string, number>;
  /** Seconds until the end of the run; null where they are not known. */
  left: number | null;
}

/** The progress after an iteration of training. */
export interface IterationProgress {
  phase: 'training';
  iteration: number;
  iterations: number;
  /** Mean reward of the rollouts, with its 95 % interval. */
  reward: { mean: number; low: number; high: number };
  /** KL divergence from the initial policy, in nats per token; null where it is not measured. */
  kl: number | null;
  seconds: number;
  /** Seconds until the last iteration, without the final test; null where they are not known. */
  secondsLeft: number | null;
  /** All metrics of the iteration, by their names in metrics.jsonl. */
  metrics: Readonly<Metrics>;
}

/** The progress of an evaluation or a test, in rollouts. */
export interface RolloutProgress {
  phase: 'rollouts';
  /** The model that plays: its folder, or `start`, `last` and `best` in the test of a training. */
  model: string;
  done: number;
  total: number;
}

/** The progress of a training on a dataset, in optimizer steps. */
export interface StepProgress {
  phase: 'steps';
  done: number;
  total: number;
  /** The last logged loss, in nats per learned token; null before the first one. */
  loss: number | null;
}

export type RunProgress = IterationProgress | RolloutProgress | StepProgress;

/** Returns the metrics of an iteration that a line shows; null for metrics without a rollout. */
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
