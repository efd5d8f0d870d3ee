// The options with which a language model is made or loaded, and checks of them.
import type { Rng } from '@bowyer/core';
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Device } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import type { LoraOptions } from '../lora/lora-options.js';
import type { Quantization } from '../quantization/weight-layouts.js';
import type { BankOptions, ModelWeights } from './model-weights.js';

export interface LanguageModelOptions {
  device: Device;
  /** Tokens that the policy never generates and that scoring gives probability 0. */
  maskedTokenIds?: readonly number[];
  /** Whether padding is among them, as suits a policy (true if not given); false: the checkpoint's own distribution. */
  masksPadding?: boolean;
  /** Longest context in tokens if it is to be shorter than the architecture's. */
  contextLength?: number;
  /** Given: training drops activations with the config's probabilities, following these numbers. Sampling and scoring never do. */
  dropoutRng?: Rng;
  /**
   * Whether training keeps only what goes from block to block, and logits of a part of the rows: less memory, more time.
   */
  gradientCheckpointing?: boolean;
  /**
   * Whether decoding on the CPU keeps its own copy of the weights, laid out for speed (see decode-programs.ts); by size
   * if not given.
   */
  packedDecoding?: boolean;
  /** Bits of the linear layers' weights, which are frozen then; 'none' if not given. */
  quantization?: Quantization;
}

export interface LoadOptions extends LanguageModelOptions {
  /** A Hugging Face directory, or a PEFT adapter's, whose base is then loaded as well. */
  dir: string;
  /** Jinja that the model keeps instead of its own template, since it is trained with it; null: its own. */
  chatTemplate?: string | null;
  /** Train adapters beside the frozen model; if `dir` is an adapter, its own settings apply but for the dropout. Start values and dropout follow `seed`. */
  lora?: LoraOptions & {
    seed: number;
    /** Whether training and scoring multiply the quantised base's weights as integers; false if not given. */
    integerProducts?: boolean;
  };
  /** Room for adapters that are loaded beside the model, and of which each turn of an episode has its own. Not with `lora`. */
  adapterBank?: BankOptions;
}

/** A model with fresh weights. */
export interface CreateOptions extends LanguageModelOptions, Pick<LoadOptions, 'lora'> {
  /** Contents of Hugging Face's config.json: at least `model_type` and sizes. */
  config: ConfigJson;
  tokenizer: Tokenizer;
  rng: Rng;
}

/** Throws an error unless the model can be trained with `integerProducts`. */
export function checkIntegerProducts({ kind }: Device, { quantized }: ModelWeights): void {
  if (!quantized)
    throw new Error(
      'LanguageModel: integerProducts needs a quantised base; give quantization, or leave integerProducts out',
    );
  if (kind !== 'cpu')
    throw new Error(`LanguageModel: a device of kind ${kind} cannot multiply matrices of integers; load on 'cpu'`);
}

/** Probabilities in config.json, of all families. */
const dropoutFields = ['attn_pdrop', 'embd_pdrop', 'resid_pdrop', 'attention_dropout', 'hidden_dropout'];

/** Throws an error if the config has no dropout probability above 0. */
export function checkDropout(config: ConfigJson): void {
  if (dropoutFields.some((field) => Number(config[field] ?? 0) > 0)) return;
  throw new Error(
    `dropout=true: the config.json of this ${String(config.model_type)} model has no dropout probability above 0\n` +
      '  write dropout=false, or give a model whose config.json has one',
  );
}

/** Adds padding to the masked tokens: it is never generated, unless it is also the end-of-text token (as in GPT-2). */
export function withPadding(maskedTokenIds: readonly number[], { padTokenId, eosTokenId }: Tokenizer): number[] {
  const padding = padTokenId >= 0 && padTokenId !== eosTokenId ? [padTokenId] : [];
  return [...new Set([...maskedTokenIds, ...padding])].sort((a, b) => a - b);
}
