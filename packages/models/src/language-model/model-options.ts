// Declares the options for creating or loading a language model, and checks them.
import type { Rng } from '@bowyer/core';
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Device } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import type { LoraOptions } from '../lora/lora-options.js';
import type { Quantization } from '../quantization/weight-layouts.js';
import type { BankOptions, ModelWeights } from './model-weights.js';

export interface LanguageModelOptions {
  device: Device;
  /** Tokens that the policy never generates and to which scoring gives probability 0. */
  maskedTokenIds?: readonly number[];
  /**
   * Whether the padding token is masked (true if omitted), as it should be for a policy; if false, scores follow the checkpoint's
   * own distribution.
   */
  masksPadding?: boolean;
  /** The longest context in tokens, if it shall be shorter than the architecture's. */
  contextLength?: number;
  /** Turns on dropout in training, with the config's probabilities and with masks drawn from this generator. */
  dropoutRng?: Rng;
  /**
   * Turns on gradient checkpointing: training keeps only the activations between blocks and the logits of a part of the
   * positions, and computes the others again, which needs less memory and more time.
   */
  gradientCheckpointing?: boolean;
  /**
   * Whether decoding on the CPU copies the weights for fast products (decode-programs.ts); omitted: by their size and `slots`.
   */
  packedDecoding?: boolean;
  /** The number of texts that are generated at the same time, if the caller knows it. */
  slots?: number;
  /** The quantization of the linear layers' weights, which cannot be trained then; 'none' if omitted. */
  quantization?: Quantization;
}

/** The options for a model that is loaded from files. */
export interface LoadOptions extends LanguageModelOptions {
  /** A Hugging Face directory, or the directory of a PEFT adapter, whose base model is then loaded too. */
  dir: string;
  /** A Jinja template in place of the model's chat template, also when saved; null keeps the model's own. */
  chatTemplate?: string | null;
  /**
   * Makes the model train LoRA adapters on its frozen weights. If `dir` is an adapter, its own settings apply except for the
   * dropout. The initial values and the dropout masks depend on `seed`.
   */
  lora?: LoraOptions & {
    seed: number;
    /** Whether training and scoring multiply the quantised weights as integers; false if omitted. */
    integerProducts?: boolean;
  };
  /** Creates a bank of adapters, from which each turn of an episode can select one. It cannot be combined with `lora`. */
  adapterBank?: BankOptions;
}

/** The options for a model with random weights. */
export interface CreateOptions extends LanguageModelOptions, Pick<LoadOptions, 'lora'> {
  /** The fields of Hugging Face's config.json: at least `model_type` and sizes. */
  config: ConfigJson;
  tokenizer: Tokenizer;
  rng: Rng;
}

/** Checks that the model's device and weights support training with `integerProducts`. */
export function checkIntegerProducts({ kind }: Device, { quantized }: ModelWeights): void {
  if (!quantized)
    throw new Error(
      'LanguageModel: integerProducts needs a quantised base; give quantization, or leave integerProducts out',
    );
  if (kind !== 'cpu')
    throw new Error(`LanguageModel: a device of kind ${kind} cannot multiply matrices of integers; load on 'cpu'`);
}

/** The names of dropout probabilities in the config.json of all families of models. */
const dropoutFields = ['attn_pdrop', 'embd_pdrop', 'resid_pdrop', 'attention_dropout', 'hidden_dropout'];

/** Checks that the config has a dropout probability above 0. @throws if it has none */
export function checkDropout(config: ConfigJson): void {
  if (dropoutFields.some((field) => Number(config[field] ?? 0) > 0)) return;
  throw new Error(
    `dropout is on: the config.json of this ${String(config.model_type)} model has no dropout probability above 0\n` +
      '  turn it off (task.dropout=false, in training algorithm.actor.dropout=false), or give a model whose config.json has one',
  );
}

/** Adds the padding token, unless it is also the end-of-text token (as in GPT-2), which a policy must be able to generate. */
export function withPadding(maskedTokenIds: readonly number[], { padTokenId, eosTokenId }: Tokenizer): number[] {
  const padding = padTokenId >= 0 && padTokenId !== eosTokenId ? [padTokenId] : [];
  return [...new Set([...maskedTokenIds, ...padding])].sort((a, b) => a - b);
}
