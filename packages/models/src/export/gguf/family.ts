// A family of decoders as llama.cpp knows it: names of tensors, entries of the metadata, and what its graphs cannot do.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { FamilyConfig, LayerKind } from '../../decoder/family.js';
import type { RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import { count, type Entries } from './gguf-file.js';

/** A tensor that has the weights of all experts, and the rows that one of their parameters gives it; all where undefined. */
export interface ExpertPlace {
  /** Below the layer, e.g. `ffn_up_exps.weight`. */
  tensor: string;
  rows?: 'even' | 'odd';
}

export interface GgufFamily {
  /** llama.cpp's name of the architecture. */
  arch: string;
  /** llama.cpp's names by those of Hugging Face, without `.weight`; a layer's are below its path. */
  modules: Readonly<Record<string, string>>;
  /** llama.cpp's names of modules that may have a bias. */
  biased?: readonly string[];
  /** Places of an expert's parameter, by its name below the layer. */
  experts?(name: string): ExpertPlace[] | undefined;
  /**
   * Whether neighbouring columns of queries and keys turn together, where in Hugging Face's files those of the two halves
   * do.
   */
  turnsNeighbours?: boolean;
  /** Whether the norms' weights are added to 1 in Hugging Face's class, and are not in llama.cpp. */
  normsFromOne?: boolean;
  /** Whether llama.cpp's graph cannot use the embedding as the head: the embedding is written twice. */
  needsHead?: boolean;
  /** Whether it reads the tensor of frequency factors; the next: the two of longrope. */
  readsFactors?: boolean;
  readsLongrope?: boolean;
  activation: string | readonly string[];
  /**
   * Describes a model by llama.cpp's entries.
   *
   * @param fail makes the error of a field that llama.cpp's graph has another value for
   */
  describe(config: FamilyConfig, architecture: CausalArchitecture, fail: Fail): FamilyFacts;
}

export type Fail = (problem: string) => Error;

interface FamilyFacts {
  /** Names below the architecture's. */
  entries: Entries;
  rope?: { json: ConfigJson; rotary: RotaryFrequencies; base: number };
  contextLength?: number;
  notes?: string[];
}

/** The modules that Llama and most others share. */
export const llamaModules = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

export const headNorms = { 'self_attn.q_norm': 'attn_q_norm', 'self_attn.k_norm': 'attn_k_norm' };
export const projections = ['attn_q', 'attn_k', 'attn_v'];

/** Returns the rotary part of a config that has one scaling for all layers. */
export const ropeOfAll = (config: FamilyConfig): FamilyFacts['rope'] => ({
  json: config.json,
  rotary: config.rotary(),
  base: config.realOr('rope_theta', 10_000),
});

/**
 * Returns the context where llama.cpp has no sliding window: up to the window's size both compute the same.
 *
 * @param kinds of the layers
 */
export function withinWindow(
  config: FamilyConfig,
  kinds: readonly LayerKind[],
  contextLength: number,
): Pick<FamilyFacts, 'contextLength' | 'notes'> {
  const size = config.windows(kinds, contextLength).find((window) => window !== undefined);
  if (size === undefined) return {};
  return {
    contextLength: size,
    notes: [
      `llama.cpp has no sliding window for this family: the file's context length is the window, ${size} of ${contextLength} tokens`,
    ],
  };
}

/** Lists the entries of the window; the pattern of layers is written where it departs from the one that llama.cpp assumes. */
export function windowEntries(config: FamilyConfig, kinds: readonly LayerKind[], pattern: number): Entries {
  const isUsual = kinds.every((kind, layer) => (kind === 'full_attention') === ((layer + 1) % pattern === 0));
  const slides = kinds.map((kind) => kind === 'sliding_attention');
  return {
    'attention.sliding_window': count(config.fields.count('sliding_window')),
    ...(!isUsual && { 'attention.sliding_window_pattern': { type: 'bools', value: slides } }),
  };
}

/** Checks that all heads together are as wide as the model, since llama.cpp does not read the size of heads here. */
export function requireWholeHeads({ sizes: { heads, headSize, width } }: FamilyConfig, arch: string, fail: Fail): void {
  if (heads * headSize !== width)
    throw fail(
      `its ${heads} heads of ${headSize} columns are not hidden_size ${width}, as llama.cpp's ${arch} requires`,
    );
}
