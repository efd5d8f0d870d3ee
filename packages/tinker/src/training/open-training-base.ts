// Opens the base of all models, which is loaded once for training and for sampling.
import { LanguageModel, type LoadOptions } from '@bowyer/models';
import { LoraModel } from './lora-model.js';
import { targetModules, trainableModules } from './lora-targets.js';
import { TrainingRequestError } from './request-error.js';
import type { LoraShape, TrainableModel, TrainingBase } from './trainable.js';

/** LoRA's α. One value for all ranks lets one learning rate fit all of them: Schulman et al. 2025, "LoRA Without Regret". */
const ALPHA = 32;

export interface TrainingBaseOptions extends Omit<
  LoadOptions,
  'dir' | 'lora' | 'masksPadding' | 'maskedTokenIds' | 'dropoutRng'
> {
  /** A Hugging Face directory. */
  model: string;
}

/**
 * Loads the base on a device, which the caller closes. Padding tokens are not masked, so that every token has the checkpoint's
 * probability.
 */
export async function openTrainingBase({ model: dir, ...options }: TrainingBaseOptions): Promise<TrainingBase> {
  return new SharedTrainingBase(await LanguageModel.load({ ...options, dir, masksPadding: false }));
}

class SharedTrainingBase implements TrainingBase {
  readonly #models = new Set<TrainableModel>();

  constructor(readonly model: LanguageModel) {}

  get trainableModules() {
    return trainableModules(this.model.linearModules);
  }

  async create(shape: LoraShape): Promise<TrainableModel> {
    const { rank, seed } = shape;
    if (!Number.isInteger(rank) || rank < 1)
      throw new TrainingRequestError(`lora_config.rank is ${rank}; it must be a positive integer`);
    const lora = {
      r: rank,
      alpha: ALPHA,
      dropout: 0,
      targetModules: targetModules(this.trainableModules, shape),
      seed,
    };
    const opened: TrainableModel = await LoraModel.open(await this.model.shareBase(lora), () => {
      this.#models.delete(opened);
    });
    this.#models.add(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const model of [...this.#models]) await model.close();
    await this.model.release();
  }
}
