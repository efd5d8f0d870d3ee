// Builds the plain decoder, which is Llama: RMS norms before attention and before a gated feed-forward layer, rotary embedding,
// no biases. A family of decoders states only in which ways it departs from Llama; weights, too, have Llama's names unless the
// family states others.
// Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; names and layout of Hugging Face's LlamaForCausalLM.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { activationNames, type ActivationName } from '../layers/activations.js';
import type { AttentionForm } from '../layers/attention.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';
import {
  decoder,
  type Block,
  type BlockNorms,
  type DecoderSpec,
  type Embedding,
  type Head,
  type LayerInputs,
} from './decoder.js';
import { preceded, type StatefulLayer } from './canon.js';
import type { FamilyConfig } from './family.js';
import { gatedFeedForward, plainFeedForward } from './feed-forward.js';
import { linear, norm, type Layer, type NormOptions, type Part } from './parts.js';
import { keyConvolution } from './key-convolution.js';
import { selfAttention, type HeadSizes, type QueryKeyNorms, type SelfAttention } from './self-attention.js';

/** The names of modules in Llama's checkpoints; a family may replace some of them. */
const llamaNames = {
  embedding: 'model.embed_tokens',
  layers: 'model.layers',
  finalNorm: 'model.norm',
  head: 'lm_head',
  attention: 'self_attn',
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  /** The name of the joint projection of queries, keys and values, for families that have one. */
  joint: 'qkv_proj',
  output: 'o_proj',
  queryNorm: 'q_norm',
  keyNorm: 'k_norm',
  feedForward: 'mlp',
  gate: 'gate_proj',
  up: 'up_proj',
  gateAndUp: 'gate_up_proj',
  down: 'down_proj',
};

type Names = typeof llamaNames;

/** The names of a block's norms, relative to the block's path. A block does not have the norms that are omitted. */
export type BlockNormNames = Partial<Record<keyof BlockNorms, string>>;

const llamaNorms: BlockNormNames = { mixerInput: 'input_layernorm', feedForwardInput: 'post_attention_layernorm' };

/** Says in which ways one layer's attention departs from Llama's. */
export interface AttentionDeparture extends Omit<AttentionForm, 'positionBiases' | 'sinks'> {
  /** The rotary frequencies; null: queries and keys are not rotated. Those of the decoder if omitted. */
  rotary?: RotaryFrequencies | null;
  projections?: 'separate' | 'parts' | 'heads';
  /** Whether the projections of queries, keys and values have biases, and the output projection unless `outputBias` differs. */
  bias?: boolean;
  outputBias?: boolean;
  /**
   * Says whether queries and keys are normalised over each head or over all heads together, by the decoder's kind of norm; or a
   * function from the attention's path in the checkpoint to other norms.
   */
  queryKeyNorm?: QueryKeyNorms['over'] | ((path: string) => QueryKeyNorms);
  /** The kernel size of a convolution of the keys (key-convolution.ts), the key's own token included. */
  keyConvolution?: number;
  queryFactor?: SelfAttention['queryFactor'];
  positionBiases?: SelfAttention['positionBiases'];
  /** The name of the parameter with attention sinks, relative to the attention's path. */
  sinks?: string;
  gate?: SelfAttention['gate'];
}

/** Says in which ways a feed-forward layer departs from Llama's. */
interface FeedForwardDeparture {
  /** With a gate, whose projection is a layer of its own ('gated') or joint with the other ('joint'), or without ('plain'). */
  kind?: 'gated' | 'joint' | 'plain';
  activation?: ActivationName;
  bias?: boolean;
  inner?: number;
}

/** Says in which ways a family departs from Llama. */
export interface Departures {
  names?: Partial<Names>;
  norms?: BlockNormNames;
  /** The kind and ε of all norms of the decoder. */
  norm?: Partial<NormOptions>;
  attention?: (layer: number) => AttentionDeparture;
  /** Returns the part that replaces attention in a layer; undefined for layers with attention. */
  mixer?: (layer: number) => Part | undefined;
  feedForward?: FeedForwardDeparture | ((layer: number) => FeedForwardDeparture | Part);
  block?: Pick<Block, 'parallel' | 'residualFactor' | 'dropout'>;
  closing?: (layer: number) => Part;
  /**
   * Builds layers between a norm's output and attention or the feed-forward layer, such as Canon layers, below the block's path.
   */
  inputs?: (path: string) => { mixer?: StatefulLayer; feedForward?: StatefulLayer };
  layerInputs?: LayerInputs;
  /** The sizes of heads in the KV cache, for mixers whose heads do not have the sizes in the config. */
  cachedHeads?: HeadSizes;
  embedding?: Partial<Pick<Embedding, 'factor' | 'positions' | 'dropout'>> & { norm?: string };
  head?: Partial<Pick<Head, 'factor' | 'softcap'>> & { bias?: boolean };
  /** The rotary frequencies of layers for which `attention` states none; null: no rotation. Read from config.json if omitted. */
  rotary?: RotaryFrequencies | null;
  contextLength?: number;
  /** Whether checkpoints store the weights of linear layers as [in, out]. */
  transposedInFile?: boolean;
  /** The standard deviation of the initial weights of layers that write to the residual stream. */
  outputDeviation?: number;
}

export function plainDecoder(config: FamilyConfig, departures: Departures): CausalArchitecture {
  return decoder(decoderSpec(config, departures));
}

function decoderSpec(config: FamilyConfig, departures: Departures): DecoderSpec {
  const { fields, sizes } = config;
  const { norm: normOptions, norms: normNames = llamaNorms, embedding, head } = departures;
  const names = { ...llamaNames, ...departures.names };
  const rotary = departures.rotary === undefined ? config.rotary() : departures.rotary;
  const epsilon = normOptions?.epsilon ?? fields.real('rms_norm_eps');
  const normAt = (path: string, size = sizes.width) => norm(path, size, { kind: 'rms', ...normOptions, epsilon });
  const parts = new PlainParts(config, departures, names, normAt, rotary);
  const embeddingWeight = `${names.embedding}.weight`;
  const blocks = Array.from({ length: sizes.layers }, (_, layer): Block => {
    const path = `${names.layers}.${layer}`;
    const inputs = departures.inputs?.(path);
    const reading = (input: StatefulLayer | undefined, part: Part) => (input ? preceded(input, part) : part);
    return {
      norms: Object.fromEntries(Object.entries(normNames).map(([place, name]) => [place, normAt(`${path}.${name}`)])),
      mixer: reading(inputs?.mixer, departures.mixer?.(layer) ?? parts.attention(layer, path)),
      feedForward: reading(inputs?.feedForward, parts.feedForward(layer, path)),
      closing: departures.closing?.(layer),
      ...departures.block,
    };
  });
  return {
    ...sizes,
    ...departures.cachedHeads,
    layerInputs: departures.layerInputs,
    contextLength: departures.contextLength ?? rotary?.contextLength ?? fields.count('max_position_embeddings'),
    contextReason: rotary?.contextReason,
    embedding: {
      weight: embeddingWeight,
      standardDeviation: fields.real('initializer_range'),
      ...embedding,
      norm: embedding?.norm === undefined ? undefined : normAt(embedding.norm),
    },
    blocks,
    finalNorm: normAt(names.finalNorm),
    head: {
      weight: fields.flag('tie_word_embeddings') ? embeddingWeight : `${names.head}.weight`,
      ...head,
      bias: head?.bias ? `${names.head}.bias` : undefined,
    },
    config: config.saved,
  };
}

class PlainParts {
  constructor(
    private readonly config: FamilyConfig,
    private readonly departures: Departures,
    private readonly names: Names,
    private readonly normAt: (path: string, size?: number) => Layer,
    private readonly rotary: RotaryFrequencies | null,
  ) {}

  #linear(path: string, out: number, input: number, bias: boolean, isOutput = false): Layer {
    const { outputDeviation, transposedInFile } = this.departures;
    const range = this.config.fields.real('initializer_range');
    const standardDeviation = isOutput ? (outputDeviation ?? range) : range;
    return linear(path, out, input, { bias, standardDeviation, transposedInFile });
  }

  attention(layer: number, path: string): Part {
    const { width, heads, keyValueHeads, headSize } = this.config.sizes;
    const { names } = this;
    const departure = this.departures.attention?.(layer) ?? {};
    const { rotary, projections: kind = 'separate', bias = false, outputBias = bias, queryKeyNorm } = departure;
    const { keyConvolution: tokens, queryFactor, gate, positionBiases, sinks } = departure;
    const { dropout = this.config.realOr('attention_dropout', 0), scale, window, softcap } = departure;
    const form = { dropout, scale, window, softcap };
    const at = `${path}.${names.attention}`;
    const [queries, keys] = [heads * headSize, keyValueHeads * headSize];
    const project = (name: string, out: number) => this.#linear(`${at}.${name}`, out, width, bias);
    return selfAttention({
      heads,
      keyValueHeads,
      headSize,
      queryFactor,
      gate,
      positionBiases,
      form,
      sinks: sinks && `${at}.${sinks}`,
      projections:
        kind === 'separate'
          ? {
              kind,
              query: project(names.query, queries),
              key: project(names.key, keys),
              value: project(names.value, keys),
            }
          : { kind, joint: project(names.joint, queries + 2 * keys) },
      output: this.#linear(`${at}.${names.output}`, width, queries, outputBias, true),
      norms: typeof queryKeyNorm === 'function' ? queryKeyNorm(at) : queryKeyNorm && this.#norms(at, queryKeyNorm),
      convolution: tokens === undefined ? undefined : keyConvolution(`${at}.k_conv`, { width: keys, tokens }),
      rotary: (rotary === undefined ? this.rotary : rotary) ?? undefined,
    });
  }

  #norms(at: string, over: QueryKeyNorms['over']): QueryKeyNorms {
    const { heads, keyValueHeads, headSize } = this.config.sizes;
    const { queryNorm, keyNorm } = this.names;
    const size = (count: number) => (over === 'head' ? headSize : count * headSize);
    return {
      over,
      query: this.normAt(`${at}.${queryNorm}`, size(heads)),
      key: this.normAt(`${at}.${keyNorm}`, size(keyValueHeads)),
    };
  }

  feedForward(layer: number, path: string): Part {
    const { feedForward } = this.departures;
    const departure = typeof feedForward === 'function' ? feedForward(layer) : (feedForward ?? {});
    if ('apply' in departure) return departure;
    const { names, config } = this;
    const { fields } = config;
    const { width } = config.sizes;
    const { kind = 'gated', bias = false, inner = fields.count('intermediate_size') } = departure;
    const activation = departure.activation ?? fields.choice('hidden_act', activationNames);
    const at = names.feedForward === '' ? path : `${path}.${names.feedForward}`;
    const into = (name: string, out = inner) => this.#linear(`${at}.${name}`, out, width, bias);
    const down = this.#linear(`${at}.${names.down}`, width, inner, bias, true);
    if (kind === 'plain') return plainFeedForward(activation, into(names.up), down);
    const gates = kind === 'joint' ? into(names.gateAndUp, 2 * inner) : ([into(names.gate), into(names.up)] as const);
    return gatedFeedForward(activation, gates, down);
  }
}
