// Offers the operations that all graphs of a language model share: parameters as inputs, linear layers in the chosen operand
// order, and dropout.
import type { Dim, GraphBuilder, Precision, Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope, Recurrence } from '../architecture/architecture.js';
import type { AttentionForm } from '../layers/attention.js';
import type { SeededDropout } from '../layers/dropout.js';
import type { LayerUpdates } from '../lora/adapter-graph.js';
import { integerNames, type IntegerWeights } from '../quantization/integer-decoding.js';
import { trainingProduct, type TrainingIntegers } from '../quantization/integer-training.js';
import { integerProduct } from '../quantization/integer-weight.js';
import { quantizedProduct, type QuantizedWeight } from '../quantization/quantized-weight.js';
import { weightProduct, type OperandOrder } from '../layers/weight-product.js';

/** Computes attention over flat rows [batch · tokens, …]; each kind of graph has another source of earlier keys and values. */
type AttentionFunction = (
  layer: number,
  queryKeyValue: readonly [Value, Value, Value],
  form: AttentionForm,
  dropout: (probabilities: Value) => Value,
) => Value;

interface ScopeOptions {
  batch: Dim;
  tokens: Dim;
  /** Returns the sequences of a tree of tokens (see `ForwardScope.tree`); cannot be combined with `recurrence`. */
  tree?: ForwardScope['tree'];
  operandOrder: OperandOrder;
  attention: AttentionFunction;
  /** Reads and stores the states of recurrent layers; if omitted, every sequence begins with states of zeros. */
  recurrence?: Recurrence;
  /**
   * Quantised frozen weights, which linear layers use instead of a graph input; embedding rows are still looked up in float32.
   */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** ONNX Runtime's accuracy level of products with quantised weights: 4 rounds activations to int8, 0 does not; 0 if omitted. */
  accuracyLevel?: 0 | 4;
  /** Weights that linear layers multiply as integers, as separate graph inputs; for decoding only, since there is no gradient. */
  integers?: IntegerWeights;
  /**
   * Weights that linear layers multiply as integers in training, with a gradient: those of `quantized`, and the LM head's. They
   * are initializers of the graph.
   */
  trainingIntegers?: ReadonlyMap<string, TrainingIntegers>;
  /** Names of weights that linear layers read from an input of their own (`prepackedName`), so that ONNX Runtime can pack it. */
  packed?: ReadonlySet<string>;
  /** LoRA adapters, which change the results of some linear layers. */
  adapters?: LayerUpdates;
  /** Dropout with seeded masks; if omitted, there is none, whatever the config says. */
  dropout?: SeededDropout;
  /** The type of the weights that are inputs; 'float32' by default. */
  weightType?: Precision;
}

/** The tokens per chunk of recurrent layers in graphs for whole sequences; decoding has smaller chunks (see decode-graph.ts). */
const CHUNK = 64;

/**
 * The graph input from which linear layers read a packed weight; rows of an embedding are read from the unpacked weight's input.
 */
export const prepackedName = (weight: string) => `${weight}/packed`;

export class GraphScope implements ForwardScope {
  readonly batch: Dim;
  readonly tokens: Dim;
  readonly tree?: ForwardScope['tree'];
  readonly recurrence: Recurrence;
  /** The residual stream before each block and after the last one. */
  readonly blockBoundaries: Value[] = [];
  /** Values besides the residual stream that later blocks read. */
  readonly readLater: Value[] = [];
  readonly #parameters = new Map<string, Value>();

  constructor(
    readonly g: GraphBuilder,
    private readonly architecture: CausalArchitecture,
    private readonly options: ScopeOptions,
  ) {
    this.batch = options.batch;
    this.tokens = options.tokens;
    this.tree = options.tree;
    this.recurrence = options.recurrence ?? { before: () => undefined, after: () => undefined, chunk: CHUNK };
    for (const { name, shape } of architecture.parameters)
      if (!options.quantized?.has(name) && !options.packed?.has(name))
        this.#parameters.set(name, this.#input(name, shape));
  }

  parameter(name: string): Value {
    const value = this.#parameters.get(name) ?? this.#float32Input(name);
    if (!value)
      throw new Error(
        `architecture '${String(this.architecture.config.model_type)}' uses the parameter '${name}' but does not list it`,
      );
    return value;
  }

  /**
   * Returns the float32 graph input of a weight. A quantised or packed weight gets such an input only if it is also read outside
   * of linear layers, as a tied embedding is.
   */
  #float32Input(name: string): Value | undefined {
    const spec = this.architecture.parameters.find((parameter) => parameter.name === name);
    if (!spec) return undefined;
    const value = this.#input(name, spec.shape);
    this.#parameters.set(name, value);
    return value;
  }

  #input(name: string, shape: readonly number[]): Value {
    return this.g.cast(this.g.input(name, this.options.weightType ?? 'float32', shape), 'float32');
  }

  #packedInput(weight: string): Value {
    const { shape } = this.architecture.parameters.find(({ name }) => name === weight)!;
    const name = prepackedName(weight);
    return this.g.inputs.get(name) ?? this.g.input(name, 'float32', shape);
  }

  linear(x: Value, weight: string, bias?: string): Value {
    const product = this.#baseLinear(x, weight, bias);
    const base = {
      weight: () => this.parameter(weight),
      bias: bias === undefined ? undefined : this.parameter(bias),
      product: (rows: Value) => this.#baseLinear(rows, weight),
    };
    return this.options.adapters?.add(weight, x, product, base) ?? product;
  }

  expertLinear(x: Value, weight: string, bias?: string): Value {
    return this.#baseLinear(x, weight, bias);
  }

  #baseLinear(x: Value, weight: string, biasName?: string): Value {
    const { quantized, integers, trainingIntegers, packed, accuracyLevel = 0, operandOrder } = this.options;
    const bias = biasName === undefined ? undefined : this.parameter(biasName);
    if (integers?.shapes.has(weight)) return integerProduct(this.g, x, this.#integerInputs(weight, integers), bias);
    const frozen = quantized?.get(weight);
    const both = trainingIntegers?.get(weight);
    // A weight in `trainingIntegers` but not in `quantized` is an LM head's, whose products read the float32 parameter too.
    if (both)
      return trainingProduct(this.g, x, weight, both, {
        bias,
        exact: frozen ? undefined : () => this.parameter(weight),
      });
    if (frozen) return quantizedProduct(this.g, x, weight, frozen, bias, { accuracyLevel });
    const float = packed?.has(weight) ? this.#packedInput(weight) : this.parameter(weight);
    return weightProduct(this.g, x, float, bias, operandOrder);
  }

  #integerInputs(weight: string, { kind, shapes }: IntegerWeights): { numbers: Value; scales: Value } {
    const [outputs, inputs] = shapes.get(weight)!;
    const names = integerNames(weight);
    const input = (name: string, dtype: 'float32' | 'int8' | 'uint8', shape: number[]) =>
      this.g.inputs.get(name) ?? this.g.input(name, dtype, shape);
    return {
      numbers: input(names.numbers, kind, [inputs, outputs]),
      scales: input(names.scales, 'float32', [outputs]),
    };
  }

  attention(layer: number, query: Value, key: Value, value: Value, form: AttentionForm): Value {
    const drop = (probabilities: Value) => this.dropout(probabilities, form.dropout ?? 0);
    return this.options.attention(layer, [query, key, value], form, drop);
  }

  blockBoundary(x: Value): void {
    this.blockBoundaries.push(x);
  }

  readByLaterBlocks(x: Value): void {
    this.readLater.push(x);
  }

  dropout(x: Value, probability: number): Value {
    return this.options.dropout && probability > 0 ? this.options.dropout.apply(x, probability) : x;
  }
}
