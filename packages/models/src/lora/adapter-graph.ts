// The adapters as graph inputs, and the path that each adds beside its frozen linear layer.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, State, Value } from '@bowyer/graph';
import type { SeededDropout } from '../layers/dropout.js';
import type { AdapterLayout } from './adapter-layout.js';
import { loraScale } from './lora-options.js';

/** Adapters on a device: what is trained, and the two positions of the switch. */
export interface AdapterWeights {
  layout: AdapterLayout;
  parameters: State;
  /** Scalars `on` = 1 and `off` = 0: the same session is the policy, or with its adapters off the reference. */
  switch: State;
  /** What the masks of the adapters' dropout follow. */
  dropoutRng: Pick<Rng, 'integer'>;
}

/** The graph's scalar input that the adapters' paths are multiplied by: 1 for the policy, 0 for its base. */
const SWITCH = 'adapters_on';

export class AdapterGraph {
  readonly #inputs = new Map<string, Value>();
  readonly #scale: Value;

  /** @param dropout left out: sampling and scoring */
  constructor(
    private readonly g: GraphBuilder,
    private readonly layout: AdapterLayout,
    private readonly dropout?: SeededDropout,
  ) {
    for (const { name, shape } of layout.parameters) this.#inputs.set(name, g.input(name, 'float32', shape));
    this.#scale = g.mul(g.input(SWITCH, 'float32', []), loraScale(layout.options));
  }

  /** What gradients are asked by, in the order of the layout's parameters. */
  get parameters(): Value[] {
    return [...this.#inputs.values()];
  }

  /** y + (alpha / r) · B A dropout(x) where `weight` has an adapter, else y. Rows: x [rows, in], y [rows, out]. */
  add(weight: string, x: Value, y: Value): Value {
    const adapter = this.layout.adapters.get(weight);
    if (!adapter) return y;
    const { g } = this;
    const probability = this.layout.options.dropout;
    const dropped = this.dropout && probability > 0 ? this.dropout.apply(x, probability) : x;
    const [a, b] = [this.#inputs.get(adapter.a)!, this.#inputs.get(adapter.b)!];
    // Scaled where the rows are shortest.
    const inner = g.mul(g.gemm(dropped, a, undefined, { transB: true }), this.#scale);
    return g.add(y, g.gemm(inner, b, undefined, { transB: true }));
  }
}

/** Graph input ← state, for the adapters and their switch. */
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
