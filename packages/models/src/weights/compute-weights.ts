// Gives a model's graphs their weights: the trained ones or, on a float16 device, a float16 copy of the float32 ones (master
// weights), made again after an optimizer step, which halves the memory that a decoding step reads.
import {
  GraphBuilder,
  toFloat16,
  type BoundProgram,
  type Device,
  type Precision,
  type State,
  type StateTensorInit,
} from '@bowyer/graph';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';

interface Copy {
  state: State;
  convert: BoundProgram;
  /** The version of the master weights that the copy was made from. */
  version?: number;
}

/** Makes and updates the copy of a state of weights in the device's precision, if the state has another precision. */
export class ComputeWeights {
  static readonly #all = new WeakMap<State, ComputeWeights>();
  #copy?: Promise<Copy>;

  private constructor(
    private readonly device: Device,
    private readonly masters: State,
  ) {}

  /** Returns the `ComputeWeights` of a state of weights; there is one for each state. */
  static of(device: Device, masters: State): ComputeWeights {
    const known = this.#all.get(masters) ?? new ComputeWeights(device, masters);
    this.#all.set(masters, known);
    return known;
  }

  /** Returns the state that graphs read: the copy, or the weights themselves if there is no copy. */
  async state(): Promise<State> {
    return this.#isCopied ? (await this.#ready()).state : this.masters;
  }

  /** Updates the copy to the current master weights; call it before each run. */
  async refresh(): Promise<void> {
    if (!this.#isCopied) return;
    const copy = await this.#ready();
    const { version } = this.masters;
    if (copy.version === version) return;
    copy.version = version;
    await copy.convert.run();
  }

  async release(): Promise<void> {
    const copy = await this.#copy;
    this.#copy = undefined;
    if (!copy) return;
    await copy.convert.release();
    await copy.convert.program.release();
    await this.device.release(copy.state);
  }

  /** Returns whether there is a copy. Frozen weights may be in float16 from the start and need none. */
  get #isCopied(): boolean {
    const [first] = this.masters.tensors.values();
    return first !== undefined && first.dtype !== this.device.precision;
  }

  #ready(): Promise<Copy> {
    return (this.#copy ??= this.#open());
  }

  async #open(): Promise<Copy> {
    const { device, masters } = this;
    const g = new GraphBuilder('compute_weights');
    const shapes = [...masters.tensors].map(([name, { dtype, shape }]) => {
      g.output(`copy.${name}`, g.cast(g.input(name, dtype, shape), device.precision));
      return [name, { shape, dtype: device.precision }] as const;
    });
    const state = await device.createZeros(Object.fromEntries(shapes));
    const program = await device.compile(g, { precision: 'float32' });
    const link = (owner: State, prefix: string) =>
      Object.fromEntries(masters.names.map((name) => [prefix + name, [owner, name] as const]));
    return { state, convert: await program.bind({ state: link(masters, ''), store: link(state, 'copy.') }) };
  }
}

/** Converts frozen weights to the device's precision; in float16 they need no master weights. */
export const frozenTensors = (tensors: HostTensors, precision: Precision) =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, frozenTensor(tensor, precision)]));

export const frozenTensor = ({ shape, data }: HostTensor, precision: Precision): StateTensorInit =>
  precision === 'float32' ? { shape, data } : { shape, data: toFloat16(data), dtype: 'float16' };
