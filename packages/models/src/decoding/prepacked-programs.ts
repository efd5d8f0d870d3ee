// Compiles decoding graphs for which ONNX Runtime has prepacked the float32 weights, i.e. copied them to a layout for fast
// products. Since they are copies, the program (one for prompts and steps) is compiled again when the parameters change.
import type { BoundProgram, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { WeightShapes } from '../quantization/integer-decoding.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { isLargeWeight, ROWS_AS_COLUMNS } from '../layers/weight-product.js';

/**
 * The least and the most bytes of float32 weights that are packed by default. Smaller weights stay in the CPU's caches, so that
 * packing gains little and still needs a new session after each update; a second copy of larger weights is made only on request.
 */
const PACKED_SIZES = [1 << 26, 2 ** 32] as const;

/**
 * Finds the names of the weights to pack: those that products read in float32 (only large ones if `asked` is undefined), or none.
 *
 * @param others weights that products do not read in float32, such as quantised ones
 * @param asked whether to pack; undefined: depends on the size of the weights and on `slots`
 * @param slots the number of rows decoded at the same time, if known. Steps of many rows read the parameters themselves, so that
 *   a packed copy would serve only prompts
 */
export function weightsToPrepack(
  architecture: CausalArchitecture,
  others: ReadonlyMap<string, unknown> | undefined,
  asked: boolean | undefined,
  slots = 1,
): ReadonlySet<string> {
  if (asked === false || (asked === undefined && slots >= ROWS_AS_COLUMNS.at(-1)![0])) return new Set();
  const products = new Set(Object.values(linearWeights(architecture)).flat());
  const weights = architecture.parameters.filter(
    ({ name, shape }) => products.has(name) && !others?.has(name) && (asked === true || isLargeWeight(shape)),
  );
  return new Set(isWorthPacking(weights, asked) ? weights.map(({ name }) => name) : []);
}

/** All quantised weights, or none (see quantization/integer-weight.ts). */
export function weightsAsIntegers(
  quantized: ReadonlyMap<string, QuantizedWeight> | undefined,
  asked: boolean | undefined,
): WeightShapes {
  const weights = quantized && isWorthPacking([...quantized.values()], asked) ? [...quantized] : [];
  return new Map(weights.map(([name, { shape }]) => [name, shape]));
}

/** @param asked the caller's choice; undefined: depends on the size of the weights */
function isWorthPacking(weights: readonly { shape: readonly number[] }[], asked: boolean | undefined): boolean {
  if (asked !== undefined) return asked;
  const bytes = weights.reduce((sum, { shape }) => sum + 4 * shape.reduce((product, size) => product * size, 1), 0);
  const [smallest, largest] = PACKED_SIZES;
  return bytes >= smallest && bytes <= largest;
}

interface Packed {
  key: string;
  version: number;
  bound: Promise<BoundProgram>;
  /** The number of calls that are running the program. */
  users: number;
}

/** Holds only the latest program, since each has a copy of the weights; a replaced one is freed when its last call has ended. */
export class PrepackedPrograms {
  #latest?: Packed;
  readonly #inUse = new Map<BoundProgram, Packed>();

  constructor(private readonly parameters: State) {}

  /** Returns the program for `key` and the current parameters, compiled if another is held; each call needs a call of `done`. */
  async take(key: string, compile: () => Promise<BoundProgram>): Promise<BoundProgram> {
    const { version } = this.parameters;
    if (this.#latest?.key !== key || this.#latest.version !== version) {
      const before = this.#latest;
      // The previous program is freed first, so that memory has one packed copy, besides those of calls that are still running.
      this.#latest = { key, version, users: 0, bound: freed(before).then(compile) };
    }
    const packed = this.#latest;
    packed.users++;
    const bound = await packed.bound;
    this.#inUse.set(bound, packed);
    return bound;
  }

  async done(bound: BoundProgram): Promise<void> {
    const packed = this.#inUse.get(bound);
    if (!packed || --packed.users > 0) return;
    this.#inUse.delete(bound);
    if (packed !== this.#latest) await freed(packed);
  }

  async release(): Promise<void> {
    const latest = this.#latest;
    this.#latest = undefined;
    await freed(latest);
  }
}

/** Releases a packed program that was replaced, unless calls are still running it. */
async function freed(packed: Packed | undefined): Promise<void> {
  if (!packed || packed.users > 0) return;
  const bound = await packed.bound;
  await bound.release();
  await bound.program.release();
}
