// Lists ArCHer's names of metrics, under which metrics.jsonl has the same values a second time for ArCHer's dashboards and
// scripts. Source: its trainers at 7c771a7.
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

/** Maps `prefix/name_mean` to `name.mean`, and so on for the other statistics. */
function statistics(prefix: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) =>
      ['mean', 'std', 'min', 'max'].map((kind) => [`${prefix}${name}_${kind}`, `${name}.${kind}`]),
    ),
  );
}

/** Pairs of a metric's name here and in ArCHer. */
export const legacyNames: readonly (readonly [name: string, alias: string])[] = Object.entries(LEGACY_NAMES);
