// The path that a bank of adapters adds beside each frozen linear layer: y + ((x · Aᵀ) where the row's adapter is) · B.
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { LayerUpdates } from './adapter-graph.js';
import type { BankLayout } from './adapter-bank-layout.js';

/** The graph's input with each row's place in the bank; `NO_ADAPTER` for the base alone. */
export const PLACES = 'adapter_places';

export const NO_ADAPTER = -1;

export class AdapterBankGraph implements LayerUpdates {
  /** [rows or 1, places · rank] which columns belong to a row's adapter. */
  #own: Value;

  /** Declares the adapters' inputs. @param places [rows] int32 of the rows that layers get; [1] where all rows have the same */
  constructor(
    private readonly g: GraphBuilder,
    private readonly layout: BankLayout,
    private readonly places: Value,
  ) {
    this.#own = this.#columnsOf(places);
  }

  /** Narrows the layers that follow to these rows of the former ones. */
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
    // Not times 0: what other adapters make of this row may be too large for a float.
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

/** Returns the places of all tokens [batch · tokens] from those of the batch's rows. */
export function placesOfTokens(g: GraphBuilder, tokens: 1 | 'tokens'): Value {
  const places = g.input(PLACES, 'int32', ['batch']);
  return tokens === 1 ? places : g.reshape(g.expand(g.unsqueeze(places, 1), ['batch', tokens]), [-1]);
}
