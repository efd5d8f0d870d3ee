// The config.json that is written beside weights.
import type { ConfigJson } from '@bowyer/checkpoints';

/** The file as it was read, with the type that weights are written in: float32, under the name that all of Python's versions read. */
export function savedConfig(json: ConfigJson): ConfigJson {
  const others = Object.entries(json).filter(([field]) => field !== 'dtype'); // what newer versions write for torch_dtype
  return { ...Object.fromEntries(others), torch_dtype: 'float32' };
}
