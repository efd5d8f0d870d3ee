// The reference policy of a run: its frozen start, opened from where the run began and never from its checkpoints.
import type { TrainingRun } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import { isAdapterDirectory, type LanguageModel } from '@bowyer/models';
import type { Material } from '../demonstrations/material.js';
import { freshPolicy, type FreshPolicyConfig } from './fresh-policy.js';
import { loadPolicy, type PolicyConfig } from './policy-setup.js';

/** What training starts from: a model's folder (null: a policy from scratch) and, on a dataset, what is to be learned. */
export interface Start {
  folder: string | null;
  material: Material | null;
}

/**
 * With adapters the reference is the session of `policy` itself with its adapters off, or as they are in the start's folder where the
 * start is an adapter; else a frozen copy of the start.
 */
export function referenceOf(
  policy: LanguageModel,
  { folder, material }: Start,
  config: PolicyConfig & FreshPolicyConfig,
  device: Device,
): TrainingRun['openReference'] {
  return async ({ quantization = 'none' } = {}) => {
    if (folder === null) return freshPolicy(material!, config, device);
    if (policy.hasAdapters) return policy.freezeWithAdapters(isAdapterDirectory(folder) ? folder : null);
    return loadPolicy(folder, { ...config, quantization }, device);
  };
}
