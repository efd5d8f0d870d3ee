// Reports a setting by which another policy than the current one plays the rollouts, if the algorithm does not correct for
// off-policy data, or if another setting contradicts it.
import { algorithmNames, findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import { oneProblem, type ConfigProblem } from '@bowyer/core';

interface OffPolicySetting {
  key: string;
  /** The setting as it is written on a command line, `KEY=VALUE`; `plain` is the one with which rollouts are on-policy. */
  chosen: string;
  plain: string;
  /** Why an algorithm without an off-policy correction refuses the setting; in the message it follows the algorithm's name. */
  reason: string;
}

/** A setting that contradicts the off-policy setting, unless its value is `plain`. */
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

const offPolicyAlgorithms = (): string[] =>
  algorithmNames().filter((name) => findAlgorithm(name)!.offPolicyRollouts !== undefined);
