// The choices of a composed config, from which its keys follow.
import type { AnyAlgorithm } from '@bowyer/algorithms';

/** The choices of a config that decide which keys there are. Nothing in it has been validated. */
export interface Choices {
  /** Null where the config names none that is registered. */
  algorithm: AnyAlgorithm | null;
  /** The name of the environment; null where none that is registered is named. */
  env: string | null;
  /** Returns one key of the composed config, as `policy.endpoint`; undefined where it is absent. */
  setting(key: string): unknown;
}
