// The config.json that is written beside weights.
import type { ConfigJson } from '@bowyer/checkpoints';

/**
 * Returns the file as it was read, with the type that weights are written in: float32, under the name that all of Python's versions
 * read. Newer files have it as `dtype` too, and files of several models in each model's part.
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
