// Declares how a family of decoders is described in llama.cpp's terms: names of tensors, entries of the metadata, limits of its graphs.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../../architecture/architecture.js';
import type { FamilyConfig, LayerKind } from '../../decoder/family.js';
import type { RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import { count, type Entries } from './gguf-file.js';

/** The GGUF tensor that has a parameter of all experts, and the parameter's rows in each expert's part; all if undefined. */
export interface ExpertPlace {
  /** The name, relative to the layer, e.g. `ffn_up_exps.weight`. */
  tensor: string;
  rows?: 'even' | 'odd';
}

export interface GgufFamily {
  /** llama.cpp's name of the architecture. */
  arch: string;
  /** llama.cpp's names of modules by Hugging Face's, without `.weight`; those of a layer are relative to it. */
  modules: Readonly<Record<string, string>>;
  /** llama.cpp's names of the modules that may have a bias. */
  biased?: readonly string[];
  /** Returns the tensors for an expert's parameter, by its name relative to the layer. */
  experts?(name: string): ExpertPlace[] | undefined;
  /** Whether llama.cpp rotates columns 2i and 2i + 1 of queries and keys together; Hugging Face rotates i and i + half. */
  rotatesNeighbours?: boolean;
  /** Whether Hugging Face's class adds 1 to the norms' weights and llama.cpp does not. */
  normsFromOne?: boolean;
  /** Whether llama.cpp's graph cannot use the embedding as the head, so that a tied embedding is written twice. */
  needsHead?: boolean;
  /** Whether llama.cpp's graph reads the tensor of RoPE's frequency factors (`rope_freqs`), and the two tensors of longrope. */
  readsFactors?: boolean;
  readsLongrope?: boolean;
  activation: string | readonly string[];
  /** Describes a model by llama.cpp's metadata. @param fail makes the error for a value that llama.cpp does not support */
  describe(config: FamilyConfig, architecture: CausalArchitecture, fail: Fail): FamilyFacts;
}

export type Fail = (problem: string) => Error;

interface FamilyFacts {
  /** Metadata whose keys get the architecture's name as prefix. */
  entries: Entries;
  rope?: { json: ConfigJson; rotary: RotaryFrequencies; base: number };
  contextLength?: number;
  notes?: string[];
}

/** llama.cpp's names of the modules that Llama and most other families have. */
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

/** Returns the rope parameters of a config that has one scaling for all layers. */
export const ropeOfAll = (config: FamilyConfig): FamilyFacts['rope'] => ({
  json: config.json,
  rotary: config.rotary(),
  base: config.realOr('rope_theta', 10_000),
});

/** Reads the kind of attention (full or sliding window) of each layer; all are the same if config.json does not list them. */
export const sameKinds = (config: FamilyConfig): LayerKind[] => config.layerKinds(() => config.hasWindow);

/** Limits the context to the window where llama.cpp has no sliding window: up to that length the results are the same. */
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

/** Returns the entries for the sliding window. The pattern of layers is written only if it differs from the one that llama.cpp assumes. */
export function windowEntries(config: FamilyConfig, kinds: readonly LayerKind[], pattern: number): Entries {
  const isUsual = kinds.every((kind, layer) => (kind === 'full_attention') === ((layer + 1) % pattern === 0));
  const slides = kinds.map((kind) => kind === 'sliding_attention');
  return {
    'attention.sliding_window': count(config.fields.count('sliding_window')),
    ...(!isUsual && { 'attention.sliding_window_pattern': { type: 'bools', value: slides } }),
  };
}

/** Checks that heads · headSize is the model's width, since llama.cpp derives the head size from it for this architecture. */
export function requireWholeHeads({ sizes: { heads, headSize, width } }: FamilyConfig, arch: string, fail: Fail): void {
  if (heads * headSize !== width)
    throw fail(
      `its ${heads} heads of ${headSize} columns are not hidden_size ${width}, as llama.cpp's ${arch} requires`,
    );
}
