// What a finished run shows: the policy it started from beside the policy it ended with.
import { textTable } from '@bowyer/logging';
import type { Metrics } from '@bowyer/algorithms';

/** One line of the result table: figures of a policy over the episodes of the final test. */
export interface PolicyResult {
  name: string;
  /** Keys as `test/…`. */
  metrics: Metrics;
}

export interface RunResults {
  /** Outer iterations of the run; 0 where nothing was trained. */
  iterations: number;
  /** Why the guard stopped the run before its end; absent where it did not. */
  stopped?: string;
  policies: PolicyResult[];
  /** The mean return of a perfect player with the demonstrator's questions, where it can be computed. */
  optimalReturn: number | null;
  /** Mean of min(Q₁, Q₂) and of the discounted returns over the test's turns; null without a critic. */
  calibration: { qMean: number; discountedReturnMean: number } | null;
}

export const resultHeader = ['policy', 'return', '± s.e.', 'win', 'invalid', 'repeated', 'turns'] as const;

export function resultRows({ policies }: RunResults): string[][] {
  const figure = (metrics: Metrics, key: string, digits: number) =>
    `test/${key}` in metrics ? metrics[`test/${key}`].toFixed(digits) : '–';
  return policies.map(({ name, metrics }) => [
    name,
    figure(metrics, 'episodic_return', 2),
    figure(metrics, 'episodic_return_standard_error', 2),
    figure(metrics, 'win_rate', 3),
    figure(metrics, 'invalid_share', 3),
    figure(metrics, 'repeated_share', 3),
    figure(metrics, 'episode_turns', 2),
  ]);
}

export function resultText(results: RunResults): string {
  const lines = [textTable(resultHeader, resultRows(results))];
  const { optimalReturn, calibration, stopped } = results;
  const episodes = results.policies[0].metrics['test/episodes'];
  lines.push('', `sampled play on ${episodes} held-out episodes`);
  if (optimalReturn !== null)
    lines.push(`perfect player with the demonstrator's questions: ${optimalReturn.toFixed(3)}`);
  if (calibration !== null) {
    const { qMean, discountedReturnMean } = calibration;
    lines.push(`critic: mean Q ${qMean.toFixed(2)}, mean discounted return ${discountedReturnMean.toFixed(2)}`);
  }
  if (stopped !== undefined) lines.push(`stopped by the guard ${stopped}`);
  return lines.join('\n');
}
