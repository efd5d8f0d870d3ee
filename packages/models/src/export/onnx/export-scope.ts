// Builds an exported graph: parameters and quantised weights are inputs, which become initializers when the file is written.
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope } from '../../architecture/architecture.js';
import type { AttentionForm } from '../../layers/attention.js';
import { attentionAfterPast } from '../../layers/attention.js';
import type { WeightLayouts } from '../../quantization/weight-layouts.js';

/** Returns the names of the inputs from which a quantised weight is read. */
export const quantizedNames = (weight: string) => ({
  packed: `${weight}_quantized`,
  scales: `${weight}_scales`,
  zeroPoints: `${weight}_zero_points`,
});

export const BATCH = 'batch_size';
export const TOKENS = 'sequence_length';
export const PAST = 'past_sequence_length';

interface ExportScopeOptions {
  architecture: CausalArchitecture;
  float: 'float32' | 'float16';
  layouts: WeightLayouts;
  /** [batch, past + tokens] the attention mask: 0 for padding. */
  mask: Value;
}

/** Provides the operations (linear layers, attention) from which an architecture builds an exported graph. */
export class ExportScope implements ForwardScope {
  readonly batch = BATCH;
  readonly tokens = TOKENS;
  readonly recurrence: ForwardScope['recurrence'];
  readonly #shapes: ReadonlyMap<string, readonly number[]>;

  constructor(
    readonly g: GraphBuilder,
    private readonly options: ExportScopeOptions,
  ) {
    this.#shapes = new Map(options.architecture.parameters.map(({ name, shape }) => [name, shape]));
    const none = () => {
      throw new Error('layers that keep states are refused before a graph is built');
    };
    this.recurrence = { before: none, after: none, chunk: 1 };
  }

  parameter(name: string): Value {
    return this.g.cast(this.#input(name, this.options.float, this.#shapes.get(name)!), 'float32');
  }

  #input(name: string, dtype: 'float32' | 'float16' | 'uint8', shape: readonly number[]): Value {
    return this.g.inputs.get(name) ?? this.g.input(name, dtype, shape);
  }

  linear(x: Value, weight: string, biasName?: string): Value {
    const { g } = this;
    const bias = biasName === undefined ? undefined : this.parameter(biasName);
    const shape = this.#shapes.get(weight)!;
    const layout = this.options.layouts(weight, shape);
    // The same graph computes prompts and single tokens, so that each weight is in memory once.
    if (layout === undefined) return g.gemm(x, this.parameter(weight), bias, { transB: true, fewRows: true });
    const { bits, blockSize } = layout;
    const names = quantizedNames(weight);
    const [rows, blocks] = [shape[0], shape[1] / blockSize];
    const packed = this.#input(names.packed, 'uint8', [rows, blocks, (blockSize * bits) / 8]);
    const scales = this.#input(names.scales, 'float32', [rows, blocks]);
    const zeroPoints = bits === 4 ? this.#input(names.zeroPoints, 'uint8', [rows, Math.ceil(blocks / 2)]) : undefined;
    const product = g.quantizedMatMul(x, packed, scales, { bits, blockSize, accuracyLevel: 4, zeroPoints });
    return bias ? g.add(product, bias) : product;
  }

  expertLinear(x: Value, weight: string, bias?: string): Value {
    return this.linear(x, weight, bias);
  }

  attention(layer: number, query: Value, key: Value, value: Value, form: AttentionForm): Value {
    const { g } = this;
    const { architecture, float, mask } = this.options;
    const { heads, keyValueHeads, headSize } = architecture;
    const layout = { batch: BATCH, tokens: TOKENS, heads, keyValueHeads, headSize };
    const [pastKey, pastValue] = (['key', 'value'] as const).map((part) =>
      g.cast(g.input(`past_key_values.${layer}.${part}`, float, [BATCH, keyValueHeads, PAST, headSize]), 'float32'),
    );
    const past = { key: pastKey, value: pastValue, mask };
    const mixed = attentionAfterPast(g, [query, key, value], past, layout, form);
    g.output(`present.${layer}.key`, g.cast(mixed.key, float));
    g.output(`present.${layer}.value`, g.cast(mixed.value, float));
    return mixed.mixed;
  }

  dropout(x: Value): Value {
    return x;
  }

  blockBoundary(): void {}

  readByLaterBlocks(): void {}
}
