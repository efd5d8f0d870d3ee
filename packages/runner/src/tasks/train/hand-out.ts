// Chooses the agent that a run with the config node `watch` returns: the best one if the final test has shown that it is better
// than the initial one, otherwise the initial one.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFolder } from '@bowyer/core';
import type { Comparison, HandedOut } from '../../run/results.js';

/** The facts about a run and its final test that decide which agent is returned. */
export interface Tested {
  directory: string;
  /** The best agent against the initial one; null if no evaluation during training was better than the initial agent's. */
  comparison: Comparison | null;
  /** The number of iterations for which the best agent was trained. */
  iteration: number;
  /** The rows of the run's metrics.jsonl. */
  metrics: readonly Record<string, number>[];
  /** The warnings of the config node `watch` during the run. */
  notes: readonly string[];
}

/** If the best agent is returned, it is copied into `checkpoints/best`, which contained the initial agent until now. */
export async function handOut(tested: Tested): Promise<HandedOut> {
  const { directory, comparison, iteration, notes } = tested;
  const verdict = comparison?.verdict ?? 'equal';
  if (verdict !== 'improved') return { verdict, iteration: 0, reasons: reasonsOf(tested), notes: [...notes] };
  const [candidate, best] = ['candidate', 'best'].map((name) => join(directory, 'checkpoints', name));
  await writeNewFolder(best, (partial) => cp(candidate, partial, { recursive: true }));
  return { verdict, iteration, reasons: [], notes: [...notes] };
}

/** The share of groups with equal returns from which the text names them as a reason why the agent did not improve. */
const FLAT = 0.5;

function reasonsOf({ comparison, metrics }: Tested): string[] {
  const reasons: string[] = [];
  if (comparison === null) reasons.push('no evaluation during the training was better than that of the start');
  else if (comparison.interval !== undefined) {
    const { low, high } = comparison.interval;
    const half = (high - low) / 2;
    if (comparison.verdict === 'equal')
      reasons.push(
        `the test of ${comparison.episodes} rollouts shows differences above ${half.toFixed(2)}; with task.test_size=${4 * comparison.episodes}, and ` +
          `as many more tasks, it shows half of that`,
      );
  } else
    reasons.push('the test has one task, which says nothing of others: give more tasks, or a larger task.test_share');
  const changes = figures.flatMap(([name, text, digits]) => {
    const rows = metrics.filter((row) => name in row);
    if (rows.length === 0) return [];
    const [first, last] = [rows[0][name], rows.at(-1)![name]];
    return [`${text} ${first.toFixed(digits)} → ${last.toFixed(digits)}`];
  });
  if (changes.length > 0) reasons.push(`rollouts, first → last iteration: ${changes.join(', ')}`);
  const flat = metrics.findLast((row) => 'groups/flat_share' in row)?.['groups/flat_share'] ?? 0;
  if (flat >= FLAT)
    reasons.push(
      `in ${Math.round(100 * flat)} % of the last groups all rollouts had the same return, and nothing is learned from those: more rollouts ` +
        'per task (algorithm.rollout.group_size), tasks of another difficulty, or a reward with parts help',
    );
  return reasons;
}

/** The metrics of rollouts that are shown, with a name and the number of digits for each. */
const figures: [metric: string, text: string, digits: number][] = [
  ['rollout/episodic_return', 'return', 2],
  ['groups/return_std_mean', 'spread within groups', 2],
  ['groups/flat_share', 'groups without a difference', 2],
  ['actor/kl_reference', 'KL from the start in nats per token', 3],
  ['diagnostics/kl_to_start', 'KL from the start in nats per token', 3],
  ['rollout/utterance_entropy', 'entropy of an answer in nats', 2],
  ['rollout/episode_turns', 'answers', 1],
  ['rollout/tool_share', 'answers that call a tool', 2],
  ['rollout/failed_call_share', 'answers with an unreadable call', 2],
];
