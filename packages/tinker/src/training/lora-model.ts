// Implements a model of the Tinker server: a LoRA adapter over the shared base model, with gradients, optimizer and files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensorsFile, writeSafetensors } from '@bowyer/checkpoints';
import { writeNewFolder } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { inTurns, turn } from '@bowyer/serving';
import { lossValue, tokenLosses } from './losses.js';
import { TrainingRequestError } from './request-error.js';
import type { AdamParams, Datum, LossReport, LossRequest, TrainableModel } from './trainable.js';

const OPTIMIZER = 'optimizer.safetensors';
const GRADIENTS = 'gradients.safetensors';

/** An upper bound for the bytes that a tensor takes in the header of a safetensors file. */
const OF_NAME = 512;
/**
 * An upper bound for the bytes of two things together: of adapter_config.json, which names the trained layers, and of the
 * optimizer's state without the moments.
 */
const OF_CONFIG = 2 ** 14;

/** The options with which the optimizer is created; each optim_step request brings its own settings, which replace them. */
const adamW = { kind: 'adamw', betas: [0.9, 0.95], eps: 1e-12, weightDecay: 0 } as const;

export class LoraModel implements TrainableModel {
  /** Whether there are gradients that no optimizer step has used. */
  #hasGradients = false;

  private constructor(
    private readonly model: LanguageModel,
    private readonly onClose: () => void,
  ) {}

  /** @param model the base model with adapters of its own, which `close` releases */
  static async open(model: LanguageModel, onClose: () => void): Promise<LoraModel> {
    await model.createOptimizer(adamW);
    return new LoraModel(model, onClose);
  }

  async forwardBackward(
    data: readonly Datum[],
    request: LossRequest,
    { forwardOnly }: { forwardOnly: boolean },
  ): Promise<LossReport> {
    const losses = tokenLosses(data, request);
    await inTurns(this.#checkInSteps(data));
    await turn();
    const examples = data.map(({ tokens, targets }) => ({ ids: tokens, targets }));
    if (!forwardOnly) this.#hasGradients = true;
    const logprobs = forwardOnly
      ? await this.model.targetLogprobs(examples, losses.width)
      : await this.model.accumulateTokenLosses(examples, losses);
    await turn();
    return { logprobs, ...lossValue(losses, logprobs) };
  }

  *#checkInSteps(data: readonly Datum[]): Generator<undefined, void> {
    for (const [d, datum] of data.entries()) {
      this.#checkTokens(datum, d);
      yield;
    }
  }

  /**
   * Makes a step of AdamW, and then sets the gradients to zero.
   *
   * @throws TrainingRequestError if the gradients are not finite; the adapter and the optimizer are then unchanged
   */
  async optimStep({ learningRate, beta1, beta2, eps, weightDecay, gradClipNorm }: AdamParams) {
    for (const [key, [value, isFine]] of Object.entries({
      learning_rate: [learningRate, learningRate >= 0],
      beta1: [beta1, beta1 >= 0 && beta1 < 1],
      beta2: [beta2, beta2 >= 0 && beta2 < 1],
      eps: [eps, eps >= 0],
      weight_decay: [weightDecay, weightDecay >= 0],
      grad_clip_norm: [gradClipNorm, gradClipNorm >= 0],
    } as const))
      if (!isFine || !Number.isFinite(value))
        throw new TrainingRequestError(`adam_params.${key} is ${value}, which is not in its range`);
    const { gradientNorm } = await this.model.optimizer.step({
      lr: learningRate,
      maxGradNorm: gradClipNorm > 0 ? gradClipNorm : Infinity,
      adam: { betas: [beta1, beta2], eps, weightDecay },
    });
    this.#hasGradients = false;
    if (!Number.isFinite(gradientNorm))
      throw new TrainingRequestError(
        `the norm of the gradients is ${gradientNorm}: no weight was changed, and they are zero again\n` +
          '  look for ratios that grew without bound, or give a smaller learning_rate',
      );
    return { 'grad_norm:mean': gradientNorm };
  }

  async save(folder: string): Promise<void> {
    const { model } = this;
    await writeNewFolder(folder, async (temporary) => {
      await model.save(temporary);
      await model.optimizer.save(join(temporary, OPTIMIZER));
      if (this.#hasGradients) await writeSafetensors(join(temporary, GRADIENTS), await model.copyGradients());
    });
  }

  async saveForSampler(folder: string): Promise<void> {
    await writeNewFolder(folder, (temporary) => this.model.save(temporary));
  }

  /** @param options.optimizer whether to load the optimizer's moments and the gradients; if false, they are reset */
  async load(folder: string, { optimizer }: { optimizer: boolean }): Promise<void> {
    const { model } = this;
    const state = join(folder, OPTIMIZER);
    if (optimizer && !existsSync(state))
      throw new TrainingRequestError(
        `${folder} has no ${OPTIMIZER}: it was saved for a sampler; load it without the optimizer`,
      );
    await model.restoreAdapters(folder);
    if (optimizer) await model.optimizer.restore(state);
    else await model.createOptimizer(adamW);
    const gradients = join(folder, GRADIENTS);
    this.#hasGradients = optimizer && existsSync(gradients);
    const { tensors } = this.#hasGradients ? await readSafetensorsFile(gradients) : { tensors: null };
    await model.restoreGradients(tensors, gradients);
  }

  get #elements(): number {
    let elements = 0;
    for (const { shape } of this.model.parameters.tensors.values()) elements += shape.reduce((a, b) => a * b, 1);
    return elements;
  }

  /** Returns the bytes of memory that the adapter, its gradients and the optimizer's two moments take. */
  get bytes(): number {
    return 16 * this.#elements;
  }

  bytesOnDisk(files: 'state' | 'sampler'): number {
    const gradients = this.#hasGradients ? 1 : 0;
    // A checkpoint for training contains the adapter, the optimizer's two moments, and possibly the gradients.
    const copies = files === 'sampler' ? 1 : 3 + gradients;
    return OF_CONFIG + copies * (4 * this.#elements + OF_NAME * this.model.parameters.tensors.size);
  }

  async close(): Promise<void> {
    await this.model.release();
    this.onClose();
  }

  #checkTokens({ tokens, targets }: Datum, index: number): void {
    const { contextLength, architecture } = this.model;
    if (tokens.length > contextLength)
      throw new TrainingRequestError(
        `datum ${index} has ${tokens.length} tokens, and the model has a context of ${contextLength}`,
      );
    const isUnknown = (id: number) => !(id >= 0 && id < architecture.vocabSize);
    const unknown = tokens.find(isUnknown) ?? targets.find(isUnknown);
    if (unknown !== undefined)
      throw new TrainingRequestError(
        `datum ${index} has the token ${unknown}, and the vocabulary has ${architecture.vocabSize}`,
      );
  }
}
