// Builds the three graphs of an encoder-decoder: for encoding the source, generating one token of the target, and scoring whole targets.
import { GraphBuilder, type Value } from '@bowyer/graph';
import { sampleTokens, type Sampler } from '../decoding/sampling.js';
import { tokenLogprobs } from '../layers/token-logprobs.js';
import { weightProduct, type OperandOrder } from '../layers/weight-product.js';
import type { AttentionOptions, DecoderScope, EncoderDecoder, SequenceScope } from './encoder-decoder.js';
import {
  attend,
  attendCached,
  causalTerm,
  mergeHeads,
  paddingTerm,
  splitHeads,
  type HeadShape,
} from './multi-head-attention.js';

/** The number of logits at the target's first position that scoring returns, to compare implementations. */
const LOGITS_HEAD = 10;

const crossName = (kind: 'key' | 'value', layer: number) => `cross_${kind}.${layer}`;

/**
 * Builds the encoder's graph. Inputs: source_ids int32 [batch, source], source_mask float32 [batch, source] (1 for tokens, 0 for
 * padding). Outputs: cross_key.N and cross_value.N [batch, heads, source, headSize], everything that decoding needs of the source.
 */
export function encodeGraph(architecture: EncoderDecoder, operandOrder: OperandOrder): GraphBuilder {
  const g = new GraphBuilder('encode');
  const weights = new Weights(g, architecture, operandOrder);
  const encoded = encodedSource(g, architecture, weights);
  for (let layer = 0; layer < architecture.decoderLayers; layer++) {
    const [key, value] = architecture
      .crossKeyValue(weights, layer, encoded.hidden)
      .map((x) => splitHeads(g, x, headShape(architecture), 'source'));
    g.output(crossName('key', layer), key);
    g.output(crossName('value', layer), value);
  }
  return g;
}

/**
 * Builds the graph of one decoding step.
 *
 * Inputs: ids int32 [batch, 1] and position int32 [1], the same for every row; key.N and value.N [batch, heads, capacity, headSize],
 * whose columns before `position` are valid; cross_key.N, cross_value.N, source_mask; forced int32 [], a token that must be
 * generated, or −1; and the inputs of the sampler.
 *
 * Outputs: tokens int32 [batch]; logprobs and sampling_logprobs [batch]; fresh [2 · layers, batch, heads, 1, headSize], the new key
 * and value of each layer in turn.
 */
export function stepGraph(architecture: EncoderDecoder, sampler: Sampler, operandOrder: OperandOrder): GraphBuilder {
  const g = new GraphBuilder('step');
  const weights = new Weights(g, architecture, operandOrder);
  const shape = headShape(architecture);
  const held = (name: string, tokens: string) =>
    g.input(name, 'float32', ['batch', architecture.heads, tokens, architecture.headSize]);
  const position = g.cast(g.input('position', 'int32', [1]), 'int64');
  const caches = Array.from({ length: architecture.decoderLayers }, (_, layer) => ({
    key: held(`key.${layer}`, 'capacity'),
    value: held(`value.${layer}`, 'capacity'),
  }));
  const columns = g.range('capacity');
  // Cache columns from `position` on are unused and masked. The key of the new token follows all columns and is never masked.
  const mask = g.concat([causalTerm(g, g.sub(position, 1), columns), g.zeros([1, 1, 1, 1])], -1);
  const fresh: Value[] = [];
  const sourceTerm = paddingTerm(g, g.input('source_mask', 'float32', ['batch', 'source']));
  const scope: DecoderScope = {
    ...weights.scope,
    batch: 'batch',
    tokens: 1,
    positions: position,
    keyPositions: g.concat([columns, position], 0),
    selfAttention: (layer, query, key, value, { scale, bias }) => {
      const [q, k, v] = [query, key, value].map((x) => splitHeads(g, x, shape, 1));
      fresh.push(k, v);
      return mergeHeads(g, attendCached(g, [q, k, v], caches[layer], { scale, terms: [mask, bias] }), shape);
    },
    crossAttention: (layer, query, { scale, bias }) => {
      const [key, value] = [held(crossName('key', layer), 'source'), held(crossName('value', layer), 'source')];
      const q = splitHeads(g, query, shape, 1);
      return mergeHeads(g, attend(g, [q, key, value], { scale, terms: [sourceTerm, bias] }), shape);
    },
  };
  const hidden = architecture.decode(scope, g.input('ids', 'int32', ['batch', 1]));
  sampleOutputs(g, architecture.logits(weights, hidden), sampler);
  const rows = fresh.map((x) => g.unsqueeze(x, 0));
  g.output('fresh', g.concat(rows, 0));
  return g;
}

/** Adds the sampler's outputs; where a token is forced, they are that token with probability 1. */
function sampleOutputs(g: GraphBuilder, logits: Value, sampler: Sampler): void {
  const forced = g.cast(g.input('forced', 'int32', []), 'int64');
  const isForced = g.greaterOrEqual(forced, 0);
  const sampled = sampleTokens(g, logits, sampler);
  const tokens = g.where(isForced, forced, sampled.tokens);
  g.output('tokens', g.cast(tokens, 'int32'));
  g.output('logprobs', tokenLogprobs(g, logits, tokens).logprobs);
  g.output('sampling_logprobs', g.where(isForced, g.scalar(0), sampled.samplingLogprobs));
}

/**
 * Builds the graph that scores targets. Inputs: source_ids, source_mask, ids int32 [batch, tokens] (the decoder's input),
 * scored_positions int32 [scored] into the flat [batch · tokens], targets int32 [scored]. Outputs: logprobs [scored] in nats;
 * logits_head [scored, 10], the first logits at the same positions.
 */
export function scoreGraph(architecture: EncoderDecoder): GraphBuilder {
  const g = new GraphBuilder('score');
  const weights = new Weights(g, architecture, 'rows-left');
  const shape = headShape(architecture);
  const source = encodedSource(g, architecture, weights);
  const ids = g.input('ids', 'int32', ['batch', 'tokens']);
  const positions = g.range('tokens');
  const mask = causalTerm(g, positions, positions);
  const scope: DecoderScope = {
    ...weights.scope,
    batch: 'batch',
    tokens: 'tokens',
    positions,
    keyPositions: positions,
    selfAttention: (_, query, key, value, { scale, bias }) => {
      const [q, k, v] = [query, key, value].map((x) => splitHeads(g, x, shape, 'tokens'));
      return mergeHeads(g, attend(g, [q, k, v], { scale, terms: [mask, bias] }), shape);
    },
    crossAttention: (layer, query, { scale, bias }) => {
      const [key, value] = architecture
        .crossKeyValue(weights, layer, source.hidden)
        .map((x) => splitHeads(g, x, shape, 'source'));
      const q = splitHeads(g, query, shape, 'tokens');
      return mergeHeads(g, attend(g, [q, key, value], { scale, terms: [source.term, bias] }), shape);
    },
  };
  const hidden = architecture.decode(scope, ids);
  const scored = g.gather(hidden, g.input('scored_positions', 'int32', ['scored']), 0);
  const targets = g.cast(g.input('targets', 'int32', ['scored']), 'int64');
  const logits = architecture.logits(weights, scored);
  g.output('logprobs', tokenLogprobs(g, logits, targets).logprobs);
  g.output('logits_head', g.slice(logits, 1, 0, Math.min(LOGITS_HEAD, architecture.vocabSize)));
  return g;
}

/** Computes the hidden states of the padded source, rows [batch · source, width], and the mask of its padding. */
function encodedSource(g: GraphBuilder, architecture: EncoderDecoder, weights: Weights) {
  const ids = g.input('source_ids', 'int32', ['batch', 'source']);
  const term = paddingTerm(g, g.input('source_mask', 'float32', ['batch', 'source']));
  const positions = g.range('source');
  const scope: SequenceScope = {
    ...weights.scope,
    batch: 'batch',
    tokens: 'source',
    positions,
    keyPositions: positions,
    selfAttention: (_, query, key, value, { scale, bias }: AttentionOptions) => {
      const shape = { batch: 'batch', ...encoderHeads(architecture, query) };
      const [q, k, v] = [query, key, value].map((x) => splitHeads(g, x, shape, 'source'));
      return mergeHeads(g, attend(g, [q, k, v], { scale, terms: [term, bias] }), shape);
    },
  };
  return { hidden: architecture.encode(scope, ids), term };
}

const headShape = ({ heads, headSize }: EncoderDecoder): HeadShape => ({ batch: 'batch', heads, headSize });

/** Returns the shape of the encoder's heads; BART's encoder may have a different number of heads from its decoder. */
function encoderHeads({ encoderHeads: heads }: EncoderDecoder, query: Value) {
  return { heads, headSize: (query.dim(1) as number) / heads };
}

/** Declares parameters as inputs of one graph when they are first used, and computes products with them. */
class Weights {
  readonly #inputs = new Map<string, Value>();
  readonly #shapes: ReadonlyMap<string, readonly number[]>;

  constructor(
    readonly g: GraphBuilder,
    private readonly architecture: EncoderDecoder,
    private readonly operandOrder: OperandOrder,
  ) {
    this.#shapes = new Map(architecture.parameters.map(({ name, shape }) => [name, shape]));
  }

  /** Returns the operations of a `SequenceScope` that are the same in all graphs. */
  get scope() {
    const { g, parameter, linear } = this;
    return { g, parameter, linear };
  }

  readonly parameter = (name: string): Value => {
    const shape = this.#shapes.get(name);
    if (!shape)
      throw new Error(
        `architecture '${String(this.architecture.config.model_type)}' uses the parameter '${name}' but does not list it`,
      );
    let value = this.#inputs.get(name);
    if (!value) this.#inputs.set(name, (value = this.g.input(name, 'float32', shape)));
    return value;
  };

  readonly linear = (x: Value, weight: string, bias?: string): Value =>
    weightProduct(
      this.g,
      x,
      this.parameter(weight),
      bias === undefined ? undefined : this.parameter(bias),
      this.operandOrder,
    );
}
