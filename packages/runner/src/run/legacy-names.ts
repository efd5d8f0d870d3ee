// Lists the names that ArCHer gives to metrics. metrics.jsonl has the values a second time under these names, for dashboards and
// scripts that were made for ArCHer. Source: ArCHer's trainers at commit 7c771a7.
const LEGACY_NAMES: Record<string, string> = {
  'rollout/episodic_return': 'rollout.mean',
  'rollout/episodic_return_max': 'rollout.max',
  'rollout/episodic_return_min': 'rollout.min',
  'eval/episodic_return': 'eval_rollout.mean',
  'eval/episodic_return_max': 'eval_rollout.max',
  'eval/episodic_return_min': 'eval_rollout.min',
  'losses/q1': 'q1.loss',
  'losses/q2': 'q2.loss',
  'losses/v1': 'v1.loss',
  'losses/v2': 'v2.loss',
  'losses/policy': 'pg.loss',
  'losses/nll': 'bc.loss',
  'losses/baseline': 'values.loss',
  'rollout/reward_mean': 'rollout.reward.mean',
  'rollout/reward_max': 'rollout.reward.max',
  'rollout/reward_min': 'rollout.reward.min',
  ...statistics('critic/', ['q1', 'q2', 'v1', 'v2', 'target_q1', 'target_q2']),
  ...statistics('actor/', ['advantages', 'values', 'residual_advantages']),
};

/** Maps our names `prefix/name_mean` to ArCHer's `name.mean`, and likewise for the other statistics. */
function statistics(prefix: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) =>
      ['mean', 'std', 'min', 'max'].map((kind) => [`${prefix}${name}_${kind}`, `${name}.${kind}`]),
    ),
  );
}

/** Pairs of our name and ArCHer's name of a metric. */
export const legacyNames: readonly (readonly [name: string, alias: string])[] = Object.entries(LEGACY_NAMES);
