// Makes the config.json that is saved with the weights.
import type { ConfigJson } from '@bowyer/checkpoints';

/**
 * Returns the config as it was read, but with `torch_dtype: float32`, the type that weights are written in. All versions of
 * transformers read that name; newer files have `dtype` too, also in the parts of composite models, which is removed.
 */
export const savedConfig = (json: ConfigJson): ConfigJson => ({ ...withoutTypes(json), torch_dtype: 'float32' });

const withoutTypes = (json: ConfigJson): ConfigJson =>
  Object.fromEntries(
    Object.entries(json)
      .filter(([field]) => field !== 'dtype' && field !== 'torch_dtype')
      .map(([field, value]) => [field, field.endsWith('_config') && isObject(value) ? withoutTypes(value) : value]),
  );

const isObject = (value: unknown): value is ConfigJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
