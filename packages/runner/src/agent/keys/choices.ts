import type { AnyAlgorithm } from '@bowyer/algorithms';

/** The choices in a composed config on which its schema depends: which further keys it has. None of them has been validated. */
export interface Choices {
  /** The algorithm; null if the config names no registered one. */
  algorithm: AnyAlgorithm | null;
  /** The environment's name; null where the config names no registered environment. */
  env: string | null;
  /** Returns the value of one key of the composed config, such as `policy.endpoint`; undefined where it is absent. */
  setting(key: string): unknown;
}
