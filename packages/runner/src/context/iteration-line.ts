// Reports an iteration of a run whose agent is a user's program, as an object and as a line of the log: the rewards of its
// rollouts, and the metrics that show a collapse of the policy.
import type { Metrics } from '@bowyer/algorithms';

/** The half-width of a 95 % confidence interval, in standard errors. */
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

export interface IterationPlace {
  iteration: number;
  iterations: number;
  /** The duration of the parts of this iteration in seconds, by name. */
  seconds: Record<string, number>;
  /** The estimated seconds until the end of the run; null where they are not known. */
  left: number | null;
}

export interface IterationProgress {
  phase: 'training';
  iteration: number;
  iterations: number;
  /** The mean reward of the iteration's rollouts, with its 95 % confidence interval. */
  reward: { mean: number; low: number; high: number };
  /** The KL divergence from the initial policy in nats per token; null where it is not measured. */
  kl: number | null;
  seconds: number;
  /** The estimated seconds until the last iteration, without the final test; null where they are not known. */
  secondsLeft: number | null;
  /** All metrics of the iteration, by their names in metrics.jsonl. */
  metrics: Readonly<Metrics>;
}

/** In rollouts. */
export interface RolloutProgress {
  phase: 'rollouts';
  /** A folder in an evaluation; `start` (the initial model), `last` or `best` in the final test of a training. */
  model: string;
  done: number;
  total: number;
}

/** The progress of a training on a dataset, in optimizer steps. */
export interface StepProgress {
  phase: 'steps';
  done: number;
  total: number;
  /** The last logged loss in nats per learned token; null before the first one is logged. */
  loss: number | null;
}

export type RunProgress = IterationProgress | RolloutProgress | StepProgress;

/** Extracts the metrics that the line of an iteration shows; returns null if the iteration played no rollouts. */
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
