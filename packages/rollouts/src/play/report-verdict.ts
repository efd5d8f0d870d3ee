import { REWARD } from '../trajectories/final-rewards.js';
import type { Verdict } from '../rewards/verdict.js';

/** The functions of a model server (or its client) that receive the rewards and metrics of a rollout. */
export interface VerdictSink {
  reward(id: string, reward: { value: number; name: string }): Promise<unknown>;
  metrics(id: string, metrics: Record<string, number>): Promise<void>;
}

/** Reports a verdict to the server: first the components of the reward, then the reward, then the metrics. */
export async function reportVerdict(
  sink: VerdictSink,
  id: string,
  { reward, components = {}, metrics }: Verdict,
): Promise<void> {
  for (const [name, value] of Object.entries(components)) await sink.reward(id, { name, value });
  if (reward !== undefined) await sink.reward(id, { name: REWARD, value: reward });
  if (metrics !== undefined) await sink.metrics(id, metrics);
}
