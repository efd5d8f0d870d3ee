// Declares the tensors of a trained LoRA adapter as inputs of a graph, and adds its update to each adapted linear layer.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, State, Value } from '@bowyer/graph';
import type { SeededDropout } from '../layers/dropout.js';
import type { AdapterLayout, AdapterSpec } from './adapter-layout.js';

/** A model's trained LoRA adapters on a device: their parameters, and a switch that turns them on or off. */
export interface AdapterWeights {
  layout: AdapterLayout;
  parameters: State;
  /** The scalars `on` = 1 and `off` = 0, one of which a graph reads: with its adapters off the policy is the reference model. */
  switch: State;
  /** The generator from which the masks of the adapters' dropout are drawn. */
  dropoutRng: Pick<Rng, 'integer'>;
}

/** The scalar graph input that the adapters' updates are multiplied by: 1 for the policy, 0 for its base. */
const SWITCH = 'adapters_on';

/** The frozen layer that an adapter changes. */
interface BaseLayer {
  /** Returns the layer's weight, [out, in]. */
  weight: () => Value;
  /** [out] */
  bias?: Value;
  /** Computes rows · weightᵀ without the bias. */
  product: (rows: Value) => Value;
}

/** Adds updates of adapters to the results of linear layers. */
export interface LayerUpdates {
  /** Adds the adapter's update to the layer's result y [rows, out] for x [rows, in]. */
  add(weight: string, x: Value, y: Value, base: BaseLayer): Value;
}

/** Adds the updates of trained adapters to the linear layers of a graph. */
export class AdapterGraph implements LayerUpdates {
  readonly #inputs = new Map<string, Value>();
  readonly #on: Value;
  /** The products of the switch and the factor alpha / r, by factor, since layers with the same factor share the node. */
  readonly #scales = new Map<number, Value>();

  /** @param dropout makes the masks of the adapters' dropout in training; undefined for sampling and scoring */
  constructor(
    private readonly g: GraphBuilder,
    private readonly layout: AdapterLayout,
    private readonly dropout?: SeededDropout,
  ) {
    for (const { name, shape } of layout.parameters) this.#inputs.set(name, g.input(name, 'float32', shape));
    this.#on = g.input(SWITCH, 'float32', []);
  }

  /** Lists the adapters' tensors, by which training computes gradients, in the order of the layout's parameters. */
  get parameters(): Value[] {
    return [...this.#inputs.values()];
  }

  /** Computes y + (alpha / r) · B A dropout(x) if `weight` has an adapter, else returns y. x is [rows, in], y is [rows, out]. */
  add(weight: string, x: Value, y: Value, base: BaseLayer): Value {
    const adapter = this.layout.adapters.get(weight);
    if (!adapter) return y;
    const { g } = this;
    const probability = this.layout.options.dropout;
    const dropped = this.dropout && probability > 0 ? this.dropout.apply(x, probability) : x;
    const [a, b] = [this.#inputs.get(adapter.a)!, this.#inputs.get(adapter.b)!];
    // The scale multiplies A x, whose rows have only `r` elements.
    const inner = g.mul(g.gemm(dropped, a, undefined, { transB: true }), this.#scaled(adapter.scale));
    const update = g.gemm(inner, b, undefined, { transB: true });
    if (adapter.magnitude === undefined) return g.add(y, update);
    const factor = g.div(this.#inputs.get(adapter.magnitude)!, this.#norms(adapter, base));
    // With DoRA, dropout also applies to the base's product, as in PEFT.
    const plain = dropped === x ? (base.bias ? g.sub(y, base.bias) : y) : base.product(dropped);
    return g.add(y, g.add(g.mul(plain, g.mul(g.sub(factor, 1), this.#on)), g.mul(update, factor)));
  }

  #scaled(scale: number): Value {
    let value = this.#scales.get(scale);
    if (!value) this.#scales.set(scale, (value = this.g.mul(this.#on, scale)));
    return value;
  }

  /**
   * Computes the norm of each row of W + s B A, [out], a constant for the gradients (Liu et al. 2024, section 4.3). Its square is ‖W‖²
   * + 2 s Σ B ∘ (W Aᵀ) + s² Σ (B A Aᵀ) ∘ B, so the matrix itself is never computed.
   */
  #norms({ a: nameOfA, b: nameOfB, scale }: AdapterSpec, { weight, product }: BaseLayer): Value {
    const { g } = this;
    const [a, b] = [nameOfA, nameOfB].map((name) => g.stopGradient(this.#inputs.get(name)!));
    const matrix = weight();
    const rowSum = (x: Value) => g.reduceSum(x, { axes: [1] });
    const cross = rowSum(g.mul(b, g.transpose(product(a), [1, 0])));
    const own = rowSum(g.mul(g.gemm(b, g.gemm(a, a, undefined, { transB: true })), b));
    const squares = g.add(rowSum(g.mul(matrix, matrix)), g.add(g.mul(cross, 2 * scale), g.mul(own, scale * scale)));
    return g.stopGradient(g.sqrt(squares));
  }
}

/** Connects a graph's inputs for the adapters and their switch to the tensors on the device. */
export function adapterWiring(
  weights: AdapterWeights | undefined,
  position: 'on' | 'off' = 'on',
): Record<string, readonly [State, string]> {
  if (!weights) return {};
  const { parameters, layout } = weights;
  return {
    ...Object.fromEntries(layout.parameters.map(({ name }) => [name, [parameters, name] as const])),
    [SWITCH]: [weights.switch, position],
  };
}
