// Opens the reference policy of a run: a frozen copy of the initial policy. It is loaded from the initial policy's folder, never
// from a checkpoint of the run.
import type { ReferencePolicy, TrainingRun } from '@bowyer/algorithms';
import type { Device } from '@bowyer/graph';
import { isAdapterDirectory, type LanguageModel, type Quantization } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import type { ImitationData } from '../demonstrations/imitation-data.js';
import { freshPolicy, type FreshPolicyConfig } from './fresh-policy.js';
import { agentFolderOf } from '../folders/model-folders.js';
import { RemoteTeacher } from './remote-teacher.js';
import { loadPolicy, type PolicyConfig } from './policy-setup.js';

/** The folder of the model (null: a policy from scratch) and, in training on a dataset, the data from which it learns. */
export interface Start {
  folder: string | null;
  data: ImitationData | null;
}

/**
 * Returns a function that opens the reference policy. For a policy with adapters it is the same model with the adapters switched
 * off, or with the initial adapters if the policy was loaded with some. Otherwise it is a frozen copy of the initial policy.
 */
export function referenceOf(
  policy: LanguageModel,
  { folder, data }: Start,
  config: PolicyConfig & FreshPolicyConfig,
  device: Device,
): TrainingRun['openReference'] {
  return async ({ quantization = 'none' } = {}) => {
    if (folder === null) return quantized(await freshPolicy(data!, config, device), quantization);
    if (policy.hasAdapters) return policy.freezeWithAdapters(isAdapterDirectory(folder) ? folder : null);
    return loadPolicy(folder, { ...config, policy: { ...config.policy, quantization } }, device);
  };
}

/** Returns the model unchanged if there is no quantization, otherwise a quantized copy, and releases the model. */
async function quantized(model: LanguageModel, quantization: Quantization): Promise<ReferencePolicy> {
  if (quantization === 'none') return model;
  return model.freeze({ quantization }).finally(() => model.release());
}

/** Returns a function that opens the frozen teacher of a distillation from a folder, or connects to the server that runs it. */
export function teacherOf(
  { tokenizer }: Pick<LanguageModel, 'tokenizer'>,
  config: PolicyConfig,
  device: Device,
): TrainingRun['openTeacher'] {
  return async (place) => {
    if (/^https?:/.test(place)) return RemoteTeacher.open(place, tokenizer);
    const teacher = await loadPolicy(agentFolderOf(place), config, device);
    const differing = firstDifference(tokenizer, teacher.tokenizer);
    if (differing === null) return teacher;
    await teacher.release();
    throw new Error(
      `the teacher in ${place} has another tokenizer than the policy: ${differing}\n` +
        '  give a teacher with the same tokenizer, since it rates the very tokens that the policy wrote',
    );
  };
}

/** Returns a text about the first difference between two tokenizers; null where they have the same vocabulary. */
function firstDifference(one: Tokenizer, other: Tokenizer): string | null {
  if (one.vocabSize !== other.vocabSize) return `${other.vocabSize} tokens, and the policy's ${one.vocabSize}`;
  for (let id = 0; id < one.vocabSize; id++) {
    const [own, its] = [one, other].map((tokenizer) => tokenizer.decode([id], { keepSpecialTokens: true }));
    if (own !== its) return `token ${id} is ${JSON.stringify(its)}, and the policy's ${JSON.stringify(own)}`;
  }
  return null;
}
