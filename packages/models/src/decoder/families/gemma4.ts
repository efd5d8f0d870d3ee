// Describes the text model of Gemma 4, which has two head sizes, norms of values, layers that share keys and values, per-layer
// embeddings, and experts in addition to a dense feed-forward layer. Published models use different ones of these: E2B and E4B
// share keys and values and have per-layer embeddings, 26B-A4B has experts, and 26B-A4B, 31B and 12B (unified) use keys as
// values.
// Source: Hugging Face's Gemma4TextModel and Gemma4UnifiedTextModel.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import { rmsNormalization } from '../../layers/rms-normalization.js';
import { activationNames } from '../../layers/activations.js';
import { expertMixture, gatedExperts } from '../expert-mixture.js';
import type { Family, FamilyConfig, LayerKind } from '../family.js';
import { gatedFeedForward } from '../feed-forward.js';
import { layerEmbeddingGate, layerEmbeddings } from '../layer-embeddings.js';
import { cachedHeads, mixedAttention, type OwnKeys } from '../mixed-attention.js';
import { linear, norm, type Layer, type Part } from '../parts.js';
import { plainDecoder } from '../plain-decoder.js';
import type { HeadSizes } from '../self-attention.js';
import { gemma3, outputNorms, slidingKinds } from './gemma.js';
import { headSizes, rotariesByKind } from './gemma4-sizes.js';

const defaults: ConfigJson = {
  ...gemma3.defaults,
  vocab_size: 262144,
  intermediate_size: 9216,
  num_hidden_layers: 30,
  max_position_embeddings: 131072,
  sliding_window: 512,
  global_head_dim: 512,
  vocab_size_per_layer_input: 262144,
  hidden_size_per_layer_input: 256,
  attention_k_eq_v: false,
  num_kv_shared_layers: 0,
  enable_moe_block: false,
  use_double_wide_mlp: false,
  rope_parameters: {
    sliding_attention: { rope_type: 'default', rope_theta: 1e4 },
    full_attention: { rope_type: 'proportional', partial_rotary_factor: 0.25, rope_theta: 1e6 },
  },
};

const family: Omit<Family, 'architecture' | 'defaults'> = {
  aliases: gemma3.aliases,
  ignores: gemma3.ignores,
  readsLayerConfigs: true,
  build: (config) => new Gemma4(config).build(),
};

export const gemma4: Family = { ...family, architecture: 'Gemma4ForCausalLM', defaults };

export const gemma4Unified: Family = {
  ...family,
  architecture: 'Gemma4UnifiedForCausalLM',
  defaults: { ...defaults, max_position_embeddings: 262144, sliding_window: 1024, hidden_size_per_layer_input: 0 },
  ignores: (file) => [...gemma3.ignores!(file), 'hidden_size_per_layer_input', 'enable_moe_block'],
};

class Gemma4 {
  readonly #kinds: LayerKind[];
  readonly #sizes: HeadSizes[];
  readonly #cached: HeadSizes;
  /**
   * The first layer without its own keys and values: it and all later ones read those of the last earlier layer of their kind.
   */
  readonly #firstShared: number;
  readonly #epsilon: number;

  constructor(private readonly config: FamilyConfig) {
    const { fields, sizes } = config;
    // The value 'vision' lets image tokens attend to each other; attention between text tokens stays causal.
    if (fields.value('use_bidirectional_attention') !== 'vision') fields.refuse('use_bidirectional_attention');
    fields.refuse('rope_scaling');
    // As in Hugging Face's class, the last layer has full attention even if the file says otherwise.
    this.#kinds = slidingKinds(config, 6).map((kind, layer) => (layer === sizes.layers - 1 ? 'full_attention' : kind));
    this.#sizes = this.#kinds.map((kind, layer) => headSizes(config, kind, layer));
    this.#cached = cachedHeads(this.#sizes);
    this.#firstShared = sizes.layers - config.countFrom0('num_kv_shared_layers');
    const own = this.#kinds.slice(0, Math.max(0, this.#firstShared));
    const without = this.#kinds.slice(own.length).find((kind) => !own.includes(kind));
    if (without !== undefined)
      throw fields.error('num_kv_shared_layers', `leaves no layer of ${without} whose keys and values could be shared`);
    this.#epsilon = fields.real('rms_norm_eps');
  }

  build() {
    const { config } = this;
    const { fields, sizes } = config;
    const contextLength = fields.count('max_position_embeddings');
    const windows = config.windows(this.#kinds, contextLength);
    const rotaries = rotariesByKind(config, this.#kinds, this.#sizes);
    const hasExperts = fields.flag('enable_moe_block');
    const { feedForwardInput: _input, ...outer } = outputNorms;
    return plainDecoder(config, {
      contextLength,
      rotary: null,
      cachedHeads: this.#cached,
      head: { softcap: config.optionalReal('final_logit_softcapping') },
      embedding: { factor: Math.sqrt(sizes.width) },
      norms: hasExperts ? outer : outputNorms,
      mixer: (layer) => this.#attention(layer, rotaries[this.#kinds[layer]]!, windows[layer]),
      feedForward: (layer) => (hasExperts ? this.#denseAndExperts(layer) : this.#dense(layer)),
      layerInputs: this.#layerInputs(),
      closing: (layer) => this.#closing(layer),
    });
  }

  #linear(path: string, out: number, input: number, bias = false): Layer {
    return linear(path, out, input, { bias, standardDeviation: this.config.fields.real('initializer_range') });
  }

  #norm(path: string, size = this.config.sizes.width): Layer {
    return norm(path, size, { kind: 'rms', epsilon: this.#epsilon });
  }

  #attention(layer: number, rotary: RotaryFrequencies, window: number | undefined): Part {
    const { fields, sizes } = this.config;
    const { heads, headSize } = this.#sizes[layer];
    const path = `model.layers.${layer}.self_attn`;
    const bias = fields.flag('attention_bias');
    const dropout = this.config.realOr('attention_dropout', 0);
    return mixedAttention({
      ...this.#sizes[layer],
      cached: this.#cached,
      rotary,
      form: { scale: 1, window, dropout },
      query: this.#linear(`${path}.q_proj`, heads * headSize, sizes.width, bias),
      queryNorm: this.#norm(`${path}.q_norm`, headSize),
      output: this.#linear(`${path}.o_proj`, sizes.width, heads * headSize, bias),
      keys: layer < this.#firstShared ? this.#ownKeys(layer, path, bias) : { of: this.#sharedLayer(layer) },
    });
  }

  #ownKeys(layer: number, path: string, bias: boolean): OwnKeys {
    const { fields, sizes } = this.config;
    const { keyValueHeads, headSize } = this.#sizes[layer];
    const project = (name: string) => this.#linear(`${path}.${name}`, keyValueHeads * headSize, sizes.width, bias);
    const keysAreValues = fields.flag('attention_k_eq_v') && this.#kinds[layer] === 'full_attention';
    return {
      key: project('k_proj'),
      value: keysAreValues ? undefined : project('v_proj'),
      keyNorm: this.#norm(`${path}.k_norm`, headSize),
      valueNorm: norm('', headSize, { kind: 'rms-without-weight', epsilon: this.#epsilon }),
    };
  }

  #sharedLayer(layer: number): number {
    return this.#kinds.slice(0, this.#firstShared).lastIndexOf(this.#kinds[layer]);
  }

  get #activation() {
    return this.config.fields.choice('hidden_act', activationNames);
  }

  #dense(layer: number): Part {
    const { fields, sizes } = this.config;
    const isWide = fields.flag('use_double_wide_mlp') && layer >= this.#firstShared;
    const inner = fields.count('intermediate_size') * (isWide ? 2 : 1);
    const path = `model.layers.${layer}.mlp`;
    const [gate, up] = ['gate_proj', 'up_proj'].map((name) => this.#linear(`${path}.${name}`, inner, sizes.width));
    return gatedFeedForward(this.#activation, [gate, up], this.#linear(`${path}.down_proj`, sizes.width, inner));
  }

  /** Builds norm₁(dense(norm(x))) + norm₂(experts(norm(x))); the router of the experts has a separate norm of x. */
  #denseAndExperts(layer: number): Part {
    const path = `model.layers.${layer}`;
    const [dense, experts] = [this.#dense(layer), this.#experts(path)];
    const input = this.#norm(`${path}.pre_feedforward_layernorm`);
    const outputs = [1, 2].map((which) => this.#norm(`${path}.post_feedforward_layernorm_${which}`));
    return {
      parameters: [input, dense, experts, ...outputs].flatMap(({ parameters }) => parameters),
      apply(scope, x, place) {
        const both = [dense.apply(scope, input.apply(scope, x), place), experts.apply(scope, x, place)];
        const [a, b] = both.map((output, i) => outputs[i].apply(scope, output));
        return scope.g.add(a, b);
      },
    };
  }

  #experts(path: string): Part {
    const { fields, sizes } = this.config;
    const standardDeviation = fields.real('initializer_range');
    return expertMixture({
      width: sizes.width,
      standardDeviation,
      reads: this.#norm(`${path}.pre_feedforward_layernorm_2`),
      router: {
        weight: `${path}.router.proj.weight`,
        reads: this.#routerNorm(`${path}.router.scale`),
        expertScale: `${path}.router.per_expert_scale`,
        scores: 'softmax',
        choices: fields.count('top_k_experts'),
        normalize: { epsilon: 0 },
      },
      experts: gatedExperts({
        path: `${path}.experts`,
        savedJointly: true,
        width: sizes.width,
        standardDeviation,
        count: fields.count('num_experts'),
        inner: fields.count('moe_intermediate_size'),
        activation: this.#activation,
      }),
    });
  }

  #routerNorm(name: string): Layer {
    const { width } = this.config.sizes;
    return {
      parameters: [{ name, shape: [width], init: { kind: 'ones' } }],
      apply: (scope, x) =>
        scope.g.mul(rmsNormalization(scope.g, x, scope.parameter(name), this.#epsilon), width ** -0.5),
    };
  }

  /** Returns the width of each layer's per-layer embedding; 0 if the model has none. */
  get #layerInputSize(): number {
    const { config } = this;
    return config.fields.value('hidden_size_per_layer_input') === undefined
      ? 0
      : config.countFrom0('hidden_size_per_layer_input');
  }

  #layerInputs() {
    const { fields, sizes } = this.config;
    if (this.#layerInputSize === 0) return undefined;
    const vocabulary = fields.count('vocab_size_per_layer_input');
    if (vocabulary < sizes.vocabSize)
      throw fields.error('vocab_size_per_layer_input', `is ${vocabulary}, fewer than vocab_size ${sizes.vocabSize}`);
    const standardDeviation = fields.real('initializer_range');
    return layerEmbeddings({
      width: sizes.width,
      layers: sizes.layers,
      vocabulary,
      standardDeviation,
      size: this.#layerInputSize,
      epsilon: this.#epsilon,
    });
  }

  /** Builds the end of a block: the gate that adds the per-layer embedding, and a factor of the whole residual stream. */
  #closing(layer: number): Part {
    const { width } = this.config.sizes;
    const path = `model.layers.${layer}`;
    const size = this.#layerInputSize;
    const gate =
      size > 0
        ? layerEmbeddingGate(
            this.#activation,
            this.#linear(`${path}.per_layer_input_gate`, size, width),
            this.#linear(`${path}.per_layer_projection`, width, size),
            this.#norm(`${path}.post_per_layer_input_norm`),
          )
        : undefined;
    const factor = `${path}.layer_scalar`;
    return {
      parameters: [
        ...(gate?.parameters ?? []),
        {
          name: factor,
          shape: [1],
          init: { kind: 'ones' },
          isBuffer: true,
          ignoredBeside: this.#ignoredTensors(layer),
        },
      ],
      apply: (scope, x, place) => scope.g.mul(gate ? gate.apply(scope, x, place) : x, scope.parameter(factor)),
    };
  }

  /** Tensors for keys and values that published checkpoints have for layers that read those of another layer; ignored. */
  #ignoredTensors(layer: number): string[] {
    if (layer < this.#firstShared) return [];
    return ['k_proj', 'v_proj', 'k_norm', 'v_norm'].map((name) => `model.layers.${layer}.self_attn.${name}.weight`);
  }
}
