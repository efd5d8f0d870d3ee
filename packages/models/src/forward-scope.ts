// What every graph of a language model shares: parameters as inputs, linear layers in the chosen operand order, dropout.
import type { Dim, GraphBuilder, Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope } from './architecture.js';
import type { SeededDropout } from './dropout.js';
import { weightProduct, type OperandOrder } from './weight-product.js';

/** Attention over flat rows; the graph decides where earlier keys and values come from. */
export type AttentionPiece = (
  layer: number,
  queryKeyValue: readonly [Value, Value, Value],
  dropout: (probabilities: Value) => Value,
) => Value;

export interface ScopeOptions {
  batch: Dim;
  tokens: Dim;
  operandOrder: OperandOrder;
  attention: AttentionPiece;
  /** Left out: dropout is off, whatever the config says. */
  dropout?: SeededDropout;
}

export class GraphScope implements ForwardScope {
  readonly batch: Dim;
  readonly tokens: Dim;
  readonly #parameters = new Map<string, Value>();

  constructor(
    readonly g: GraphBuilder,
    private readonly architecture: CausalArchitecture,
    private readonly options: ScopeOptions,
  ) {
    this.batch = options.batch;
    this.tokens = options.tokens;
    for (const { name, shape } of architecture.parameters) this.#parameters.set(name, g.input(name, 'float32', shape));
  }

  parameter(name: string): Value {
    const value = this.#parameters.get(name);
    if (!value)
      throw new Error(
        `architecture '${String(this.architecture.config.model_type)}' uses the parameter '${name}' but does not list it`,
      );
    return value;
  }

  linear(x: Value, weight: string, bias?: string): Value {
    return weightProduct(
      this.g,
      x,
      this.parameter(weight),
      bias === undefined ? undefined : this.parameter(bias),
      this.options.operandOrder,
    );
  }

  attention(layer: number, query: Value, key: Value, value: Value, dropout: number): Value {
    return this.options.attention(layer, [query, key, value], (probabilities) => this.dropout(probabilities, dropout));
  }

  dropout(x: Value, probability: number): Value {
    return this.options.dropout && probability > 0 ? this.options.dropout.apply(x, probability) : x;
  }
}
