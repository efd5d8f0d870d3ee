// Declares the options for creating or loading a language model, and checks them.
import type { Rng } from '@bowyer/core';
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Device } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import type { LoraOptions } from '../lora/lora-options.js';
import type { Quantization } from '../quantization/weight-layouts.js';
import type { BankOptions, ModelWeights } from './model-weights.js';

/** The options of every language model. */
export interface LanguageModelOptions {
  device: Device;
  /** Tokens that the policy never generates and that scoring gives probability 0. */
  maskedTokenIds?: readonly number[];
  /**
   * Whether padding is a masked token, as is right for a policy (true if not given); with false, scores follow the checkpoint's own
   * distribution.
   */
  masksPadding?: boolean;
  /** The longest context in tokens, if it is to be shorter than the architecture's. */
  contextLength?: number;
  /** If given, training uses dropout with the config's probabilities and masks drawn from this generator. Sampling and scoring do not. */
  dropoutRng?: Rng;
  /** Whether training keeps only the activations between blocks, and the logits of a part of the rows: needs less memory and more time. */
  gradientCheckpointing?: boolean;
  /**
   * Whether decoding on the CPU keeps a copy of the weights in a faster layout (see decode-programs.ts); depends on their size and on
   * `slots` if not given.
   */
  packedDecoding?: boolean;
  /** The number of texts that are generated at the same time, where it is known. */
  slots?: number;
  /** The quantization of the linear layers' weights, which are then frozen; 'none' if not given. */
  quantization?: Quantization;
}

/** The options for a model from files. */
export interface LoadOptions extends LanguageModelOptions {
  /** A Hugging Face directory, or the directory of a PEFT adapter, whose base is then loaded too. */
  dir: string;
  /** A Jinja template that replaces the model's chat template, also in saved copies; null: the model's own. */
  chatTemplate?: string | null;
  /**
   * Trains adapters beside the frozen model. If `dir` is an adapter, its own settings apply except for the dropout. Initial values and
   * dropout depend on `seed`.
   */
  lora?: LoraOptions & {
    seed: number;
    /** Whether training and scoring multiply the quantised weights as integers; false if not given. */
    integerProducts?: boolean;
  };
  /** Creates a bank of adapters, from which each turn of an episode selects one. Cannot be combined with `lora`. */
  adapterBank?: BankOptions;
}

/** The options for a model with fresh weights. */
export interface CreateOptions extends LanguageModelOptions, Pick<LoadOptions, 'lora'> {
  /** The fields of Hugging Face's config.json: at least `model_type` and sizes. */
  config: ConfigJson;
  tokenizer: Tokenizer;
  rng: Rng;
}

/** Throws an error if the model cannot be trained with `integerProducts`. */
export function checkIntegerProducts({ kind }: Device, { quantized }: ModelWeights): void {
  if (!quantized)
    throw new Error(
      'LanguageModel: integerProducts needs a quantised base; give quantization, or leave integerProducts out',
    );
  if (kind !== 'cpu')
    throw new Error(`LanguageModel: a device of kind ${kind} cannot multiply matrices of integers; load on 'cpu'`);
}

/** The fields of dropout probabilities in config.json, of all families. */
const dropoutFields = ['attn_pdrop', 'embd_pdrop', 'resid_pdrop', 'attention_dropout', 'hidden_dropout'];

/** Throws an error if the config has no dropout probability above 0. */
export function checkDropout(config: ConfigJson): void {
  if (dropoutFields.some((field) => Number(config[field] ?? 0) > 0)) return;
  throw new Error(
    `dropout is on: the config.json of this ${String(config.model_type)} model has no dropout probability above 0\n` +
      '  turn it off (task.dropout=false, in training algorithm.actor.dropout=false), or give a model whose config.json has one',
  );
}

/** Adds the padding token to the masked tokens, unless it is also the end-of-text token (as in GPT-2). */
export function withPadding(maskedTokenIds: readonly number[], { padTokenId, eosTokenId }: Tokenizer): number[] {
  const padding = padTokenId >= 0 && padTokenId !== eosTokenId ? [padTokenId] : [];
  return [...new Set([...maskedTokenIds, ...padding])].sort((a, b) => a - b);
}
