// Builds the architecture of a decoder from its parts: token embedding, blocks, final norm and LM head.
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { rotaryTables } from '../layers/rotary-embedding.js';
import type { RotaryFrequencies } from '../layers/rotary-frequencies.js';
import type { Layer, Part, Place } from './parts.js';
import type { HeadSizes } from './self-attention.js';

/** The norms of a block, by the tensor that each one normalises; outputs are normalised before they join the residual stream. */
export type BlockNorms = Partial<
  Record<'mixerInput' | 'mixerOutput' | 'feedForwardInput' | 'feedForwardOutput', Layer>
>;

export interface Block {
  norms: BlockNorms;
  /** The part that mixes tokens: attention, or a recurrent layer or convolution instead of it. */
  mixer: Part;
  feedForward: Part;
  /**
   * Whether mixer and feed-forward layer both read the block's input, instead of one after the other. If it has no norm of its
   * own, the feed-forward layer then reads the mixer's normalised input.
   */
  parallel?: boolean;
  /** The factor by which each output is multiplied before it is added to the residual stream. */
  residualFactor?: number;
  /** The dropout probability of each output that is added to the residual stream. */
  dropout?: number;
  /** Transforms the residual stream at the end of the block, before the next block reads it. */
  closing?: Part;
}

/**
 * Describes inputs that layers read in addition to the residual stream and that depend on the token ids, such as Gemma's
 * per-layer embeddings. They are computed once for all layers, and each layer reads its share.
 */
export interface LayerInputs {
  readonly parameters: readonly ParameterSpec[];
  /**
   * @param ids [rows] token ids
   * @param embedded [rows, width] the token embeddings
   * @returns a function from the index of a layer to the layer's input, [rows, size]
   */
  of(scope: ForwardScope, ids: Value, embedded: Value): (layer: number) => Value;
}

/** Describes how token ids and positions become the first block's input. */
export interface Embedding {
  /** The name of the embedding's weight [vocabulary, width]. */
  weight: string;
  standardDeviation: number;
  /** The factor by which token embeddings are multiplied. */
  factor?: number;
  /** A table of learned position embeddings [rows, width]; row position + offset is added to the token embedding. */
  positions?: { weight: string; rows: number; offset: number };
  norm?: Layer;
  dropout?: number;
}

export interface Head {
  /** The name of the head's weight; that of the embedding if the two are tied. */
  weight: string;
  bias?: string;
  /** The factor by which logits are multiplied. */
  factor?: number;
  /** The bound c of the logits, which become c · tanh(logits / c). */
  softcap?: number;
}

export interface DecoderSpec extends HeadSizes {
  vocabSize: number;
  width: number;
  contextLength: number;
  contextReason?: string;
  embedding: Embedding;
  layerInputs?: LayerInputs;
  blocks: readonly Block[];
  finalNorm: Layer;
  head: Head;
  /** The contents of the config.json with which the model is saved. */
  config: ConfigJson;
}

export function decoder(spec: DecoderSpec): CausalArchitecture {
  const { vocabSize, contextLength, heads, keyValueHeads, headSize, blocks, config } = spec;
  const rotaries = [...new Set(blocks.flatMap(({ mixer }) => mixer.rotary ?? []))];
  return {
    vocabSize,
    contextLength,
    heads,
    keyValueHeads,
    headSize,
    config,
    contextReason: spec.contextReason,
    layers: blocks.length,
    attentionLayers: [...blocks.keys()].filter(
      (layer) => (!blocks[layer].mixer.states || blocks[layer].mixer.attends) && !blocks[layer].mixer.sharesCache,
    ),
    states: blocks.flatMap(({ mixer, feedForward }) => [...(mixer.states ?? []), ...(feedForward.states ?? [])]),
    parameters: decoderParameters(spec),

    residual(scope, ids, positions) {
      const { g } = scope;
      const embedded = g.scope('embed', () => embed(scope, spec, ids, positions));
      const tables = new Map(
        rotaries.map((rotary) => [rotary, g.scope('rotary', () => rotaryTables(g, positions, rotary))]),
      );
      const turns = (rotary: RotaryFrequencies) => tables.get(rotary)!;
      const inputs = spec.layerInputs && g.scope('layer_inputs', () => spec.layerInputs!.of(scope, ids, embedded));
      const shared: Place['shared'] = new Map();
      let x = scope.dropout(embedded, spec.embedding.dropout ?? 0);
      scope.blockBoundary(x);
      blocks.forEach((block, layer) => {
        const layerInput = inputs && (() => inputs(layer));
        const place = { layer, positions, tables: turns, layerInput, shared };
        x = g.scope(`layers.${layer}`, () => applyBlock(scope, block, x, place));
        scope.blockBoundary(x);
      });
      return x;
    },

    logits: (scope, residual) => scope.g.scope('head', () => headLogits(scope, spec, residual)),
  };
}

function embed(scope: ForwardScope, { embedding, width }: DecoderSpec, ids: Value, positions: Value): Value {
  const { g } = scope;
  let x = g.gather(scope.parameter(embedding.weight), ids, 0);
  if (embedding.factor !== undefined) x = g.mul(x, embedding.factor);
  if (embedding.positions) {
    const { weight, offset } = embedding.positions;
    const places = g.gather(scope.parameter(weight), offset === 0 ? positions : g.add(positions, offset), 0);
    if (positions.dim(0) === ids.dim(0)) x = g.add(x, places);
    else {
      // With [tokens] positions, all rows of the batch have the same position embeddings, which are added to each row.
      const grid = g.add(g.reshape(x, [scope.batch, scope.tokens, width]), places);
      x = g.reshape(grid, [ids.dim(0), width]);
    }
  }
  return embedding.norm ? embedding.norm.apply(scope, x) : x;
}

/** Computes y = x + mixer(norm(x)), then y + feedForward(norm(y)); if the block is parallel, y + feedForward(norm(x)). */
function applyBlock(scope: ForwardScope, block: Block, x: Value, place: Place): Value {
  const { g } = scope;
  const { mixerInput, mixerOutput, feedForwardInput, feedForwardOutput } = block.norms;
  const normed = (value: Value, norm?: Layer) => (norm ? norm.apply(scope, value) : value);
  const added = (sum: Value, output: Value, norm?: Layer) => {
    const dropped = scope.dropout(normed(output, norm), block.dropout ?? 0);
    return g.add(sum, block.residualFactor === undefined ? dropped : g.mul(dropped, block.residualFactor));
  };
  const read = normed(x, mixerInput);
  const mixed = added(x, block.mixer.apply(scope, read, place), mixerOutput);
  const below = block.parallel && !feedForwardInput ? read : normed(block.parallel ? x : mixed, feedForwardInput);
  const result = added(mixed, block.feedForward.apply(scope, below, place), feedForwardOutput);
  return block.closing ? block.closing.apply(scope, result, place) : result;
}

function headLogits(scope: ForwardScope, { finalNorm, head }: DecoderSpec, residual: Value): Value {
  const { g } = scope;
  let logits = scope.linear(finalNorm.apply(scope, residual), head.weight, head.bias);
  if (head.factor !== undefined) logits = g.mul(logits, head.factor);
  return head.softcap === undefined ? logits : g.mul(g.tanh(g.div(logits, head.softcap)), head.softcap);
}

function decoderParameters(spec: DecoderSpec): ParameterSpec[] {
  const { embedding, layerInputs, blocks, finalNorm, head, vocabSize, width } = spec;
  const init = { kind: 'normal', standardDeviation: embedding.standardDeviation } as const;
  const { positions } = embedding;
  return [
    { name: embedding.weight, shape: [vocabSize, width], init },
    ...(positions ? [{ name: positions.weight, shape: [positions.rows, width], init }] : []),
    ...(embedding.norm?.parameters ?? []),
    ...(layerInputs?.parameters ?? []),
    ...blocks.flatMap(({ norms, mixer, feedForward, closing }) =>
      [
        norms.mixerInput,
        mixer,
        norms.mixerOutput,
        norms.feedForwardInput,
        feedForward,
        norms.feedForwardOutput,
        closing,
      ].flatMap((part) => part?.parameters ?? []),
    ),
    ...finalNorm.parameters,
    ...(head.weight === embedding.weight ? [] : [{ name: head.weight, shape: [vocabSize, width], init }]),
    ...(head.bias === undefined ? [] : [{ name: head.bias, shape: [vocabSize], init: { kind: 'zeros' } as const }]),
  ];
}
