// Opens the base model of the Tinker server, which is loaded once for the training of all adapters and for sampling.
import { LanguageModel, type LoadOptions } from '@bowyer/models';
import { LoraModel } from './lora-model.js';
import { targetModules, trainableModules } from './lora-targets.js';
import { TrainingRequestError } from './request-error.js';
import type { LoraShape, TrainableModel, TrainingBase } from './trainable.js';

/** LoRA's scale α, the same for all ranks, so that one learning rate fits all: Schulman et al. 2025, "LoRA Without Regret". */
const ALPHA = 32;

export interface TrainingBaseOptions extends Omit<
  LoadOptions,
  'dir' | 'lora' | 'masksPadding' | 'maskedTokenIds' | 'dropoutRng'
> {
  /** A folder with the model's files in the form of Hugging Face. */
  model: string;
}

/** The caller closes the model. Padding tokens are not masked: every token has the probability that the checkpoint gives it. */
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
