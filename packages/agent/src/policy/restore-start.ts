// Training that begins again at the start of its run, of a resumed one too.
import type { TrainingRun } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import type { AgentConfig } from '../keys/agent-keys.js';
import { freshPolicy, type FreshPolicyConfig } from './fresh-policy.js';
import { loadPolicy, policyOptimizer, type PolicyConfig } from './policy-setup.js';
import type { Start } from './reference-policy.js';

/** The start is loaded beside the policy for as long as its weights are copied. */
export function startRestorer(
  policy: LanguageModel,
  { folder, data }: Start,
  config: PolicyConfig & FreshPolicyConfig & Pick<AgentConfig, 'optimizer'>,
  device: Device,
): TrainingRun['restoreStart'] {
  return async () => {
    const start =
      folder === null ? await freshPolicy(data!, config, device) : await loadPolicy(folder, config, device, 'train');
    try {
      await policy.restoreParameters(await start.copyParameters());
    } finally {
      await start.release();
    }
    await policy.createOptimizer(policyOptimizer(config));
  };
}
