// Adds the updates of LoRA adapters to frozen linear layers, where each batch row may use another adapter of a bank (see
// adapter-bank-layout.ts): y + (x · Aᵀ, masked to the columns of the row's adapter) · B, with A and B those of all adapters.
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { LayerUpdates } from './adapter-graph.js';
import type { BankLayout } from './adapter-bank-layout.js';

/** The graph input with the index in the bank (place) of each batch row's adapter; `NO_ADAPTER` for the base model alone. */
export const PLACES = 'adapter_places';

export const NO_ADAPTER = -1;

/** Adds the updates of a bank's adapters to the linear layers of a graph. */
export class AdapterBankGraph implements LayerUpdates {
  /** [rows or 1, places · rank] booleans: whether a column of x · Aᵀ belongs to the row's adapter. */
  #own: Value;

  /** @param places [rows] int32 the index in the bank of the adapter of each input row; [1] if all rows have the same */
  constructor(
    private readonly g: GraphBuilder,
    private readonly layout: BankLayout,
    private readonly places: Value,
  ) {
    this.#own = this.#columnsOf(places);
  }

  /** Selects the adapters of these rows, for layers that compute only some rows, such as the output head. */
  select(rows: Value): void {
    this.#own = this.#columnsOf(this.g.gather(this.places, rows, 0));
  }

  add(weight: string, x: Value, y: Value): Value {
    const room = this.layout.weights.get(weight);
    if (!room) return y;
    const { g } = this;
    const { places, rank } = this.layout;
    const stack = (name: string, width: number) =>
      g.inputs.get(name) ?? g.input(name, 'float32', [places * rank, width]);
    const [a, b] = [stack(room.a, room.inputs), stack(room.b, room.outputs)];
    // Products with other adapters are replaced by 0, not multiplied by it: they may overflow, and ∞ · 0 is NaN.
    const own = g.where(this.#own, g.gemm(x, a, undefined, { transB: true }), 0);
    return g.gemm(own, b, y);
  }

  #columnsOf(places: Value): Value {
    const { g } = this;
    const { places: count, rank } = this.layout;
    const columns = Int32Array.from({ length: count * rank }, (_, column) => Math.floor(column / rank));
    return g.equal(g.unsqueeze(places, 1), g.constant(columns, [1, columns.length]));
  }
}

/** Repeats the index of each batch row's adapter for all of its tokens, [batch · tokens]. */
export function placesOfTokens(g: GraphBuilder, tokens: 1 | 'tokens'): Value {
  const places = g.input(PLACES, 'int32', ['batch']);
  return tokens === 1 ? places : g.reshape(g.expand(g.unsqueeze(places, 1), ['batch', tokens]), [-1]);
}
