// Makes the config.json that is saved next to a model's weights.
import type { ConfigJson } from '@bowyer/checkpoints';

/**
 * Returns the model's config with `torch_dtype: float32`, the type in which weights are saved. All versions of transformers read
 * `torch_dtype`; the newer field `dtype`, which composite models also have in the configs of their parts, is removed.
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
