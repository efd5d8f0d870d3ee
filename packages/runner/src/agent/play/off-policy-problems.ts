// Reports settings that make rollouts off-policy, if the algorithm has no correction for it or another setting contradicts it.
import { algorithmNames, findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import { oneProblem, type ConfigProblem } from '@bowyer/core';

interface OffPolicySetting {
  key: string;
  /** The setting as it is written on a command line, `KEY=VALUE`, and its value that needs no correction. */
  chosen: string;
  plain: string;
  /** The reason why an algorithm without a correction refuses the setting, as `NAME …`. */
  reason: string;
}

/** Another setting that contradicts this one, unless its value is `plain`. */
export type Beside = readonly [key: string, value: unknown, plain: unknown, reason: string];

export function offPolicyProblems(
  algorithm: AnyAlgorithm,
  config: { algorithm?: object },
  { key, chosen, plain, reason }: OffPolicySetting,
  beside: readonly Beside[],
): ConfigProblem[] {
  if (algorithm.offPolicyRollouts === undefined)
    return oneProblem(
      key,
      `${chosen}: ${algorithm.name} ${reason}`,
      `write ${plain}, or choose ${offPolicyAlgorithms().join(', ')}`,
    );
  const refused = beside.filter(([, value, usual]) => value !== usual);
  return [
    ...algorithm.offPolicyRollouts(config.algorithm as Record<string, unknown>),
    ...refused.map(([other, value, usual, why]) => ({
      key: other,
      message: `${other}=${typeof value === 'object' ? JSON.stringify(value) : String(value)} with ${chosen}: ${why}`,
      remedy: `write ${other}=${String(usual)}, or ${plain}`,
    })),
  ];
}

/** Lists the algorithms that correct for off-policy rollouts. */
const offPolicyAlgorithms = (): string[] =>
  algorithmNames().filter((name) => findAlgorithm(name)!.offPolicyRollouts !== undefined);
