// The line of an iteration of a watched run: what its rollouts were worth, and the figures by which a collapse is seen.
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

/** Returns the line of an iteration; null for metrics without a rollout. */
export function iterationLine(
  metrics: Metrics,
  { iteration, iterations, seconds, left }: IterationPlace,
): string | null {
  const reward = metrics['rollout/episodic_return'];
  if (reward === undefined) return null;
  const half = HALF_WIDTH * (metrics['rollout/episodic_return_standard_error'] ?? 0);
  const shown = figures.flatMap(([metric, text]) => (metric in metrics ? [text(metrics[metric])] : []));
  const spent = Object.values(seconds).reduce((sum, one) => sum + one, 0);
  const time = `${duration(spent)}${left === null ? '' : `, about ${duration(left)} left`}`;
  return `iteration ${iteration}/${iterations}: reward ${reward.toFixed(2)} (95 %: ${(reward - half).toFixed(2)} … ${(reward + half).toFixed(2)}), ${[...shown, time].join(', ')}`;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const duration = (seconds: number): string =>
  seconds < 100
    ? `${seconds.toFixed(0)} s`
    : seconds < 6000
      ? `${(seconds / 60).toFixed(0)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
