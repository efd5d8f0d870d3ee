// Loads and unloads LoRA adapters on a device while a model decodes. The bank has a fixed number of places, each for one adapter,
// so that loading an adapter changes weights and no graph.
import type { Device, State } from '@bowyer/graph';
import type { HostTensors } from '@bowyer/checkpoints';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { NO_ADAPTER } from './adapter-bank-graph.js';
import { bankShapes, type BankLayout, type BankWeight } from './adapter-bank-layout.js';
import type { AdapterLayout, AdapterSpec } from './adapter-layout.js';
import { AdapterError, adapterLayoutIn, readAdapterOptions, readAdapterWeights } from './peft-files.js';

/** An adapter that a bank has loaded. A folder that is loaded twice gives two objects, which share no cached results. */
export class LoadedAdapter {
  /** @internal */
  constructor(
    readonly dir: string,
    /** @internal */
    readonly place: number,
  ) {}
}

/** An adapter whose files were read, and which fits into the bank but is not loaded into it yet. */
export interface ReadAdapter {
  dir: string;
  /** The base model's directory, as the adapter's config names it. */
  base: string | null;
  layout: AdapterLayout;
  tensors: HostTensors;
}

/** Thrown when an adapter is loaded into a bank without a free place. */
export class BankFullError extends Error {
  override readonly name = 'BankFullError';
}

/** Loads adapters into the tensors of a bank, and keeps account of its free places. */
export class AdapterBank {
  readonly #free: number[];
  readonly #loaded = new Set<LoadedAdapter>();

  private constructor(
    private readonly device: Device,
    private readonly architecture: CausalArchitecture,
    readonly layout: BankLayout,
    readonly state: State,
  ) {
    this.#free = Array.from({ length: layout.places }, (_, place) => place);
  }

  static async create(device: Device, architecture: CausalArchitecture, layout: BankLayout): Promise<AdapterBank> {
    return new AdapterBank(device, architecture, layout, await device.createZeros(bankShapes(layout)));
  }

  get free(): number {
    return this.#free.length;
  }

  /** Returns the index of an adapter's place; `NO_ADAPTER` for null, the base model. @throws if it is not in this bank */
  placeOf(adapter: LoadedAdapter | null): number {
    if (adapter === null) return NO_ADAPTER;
    if (this.#loaded.has(adapter)) return adapter.place;
    throw new Error(`AdapterBank: the adapter ${adapter.dir} is not loaded`);
  }

  /** Reads an adapter's files without loading it. @throws AdapterError if a bank does not support its kind, or it does not fit */
  async read(dir: string): Promise<ReadAdapter> {
    const { options, base } = await readAdapterOptions(dir);
    if (options.usesMagnitudes)
      throw new AdapterError(
        dir,
        'adapter_config.json: use_dora is true, and the norms of DoRA are those of one adapter and its base',
        'merge it into its base (task=convert), and serve the result by itself',
      );
    const layout = adapterLayoutIn(dir, this.architecture, options);
    for (const spec of layout.adapters.values()) this.#checkRoom(dir, spec);
    const tensors = await readAdapterWeights(dir, layout);
    for (const { b, scale, module } of layout.adapters.values())
      if (!tensors[b].data.every((number) => Number.isFinite(Math.fround(number * scale))))
        throw new AdapterError(dir, `lora_B of ${module} times its scale ${scale} is beyond float32`, 'train it again');
    return { dir, base, layout, tensors };
  }

  #checkRoom(dir: string, { module, weight, r }: AdapterSpec): void {
    const { rank, weights } = this.layout;
    if (r > rank)
      throw new AdapterError(
        dir,
        `the rank of ${module} is ${r}, and there is room for ${rank}`,
        `start the server with task.max_adapter_rank=${r}`,
      );
    if (!weights.has(weight))
      throw new AdapterError(
        dir,
        `it adapts ${module}, which has no room for adapters`,
        'start the server with it among adapters, or with its layers in task.adapter_target_modules',
      );
  }

  /** Loads an adapter into a free place. @throws {BankFullError} if no place is free */
  async load({ dir, layout, tensors }: ReadAdapter): Promise<LoadedAdapter> {
    const place = this.#free.shift();
    if (place === undefined)
      throw new BankFullError(
        `there is room for ${this.layout.places} adapters (task.max_adapters), and all of it is taken`,
      );
    try {
      for (const [weight, room] of this.layout.weights)
        await this.#write(place, room, layout.adapters.get(weight), tensors);
    } catch (error) {
      this.#free.unshift(place);
      throw error;
    }
    const adapter = new LoadedAdapter(dir, place);
    this.#loaded.add(adapter);
    return adapter;
  }

  /** Frees an adapter's place. No call that decodes with it may be running. */
  unload(adapter: LoadedAdapter): void {
    if (this.#loaded.delete(adapter)) this.#free.push(adapter.place);
  }

  /** Writes an adapter's tensors to the device one weight at a time, so that decoding can continue in between. */
  async #write(
    place: number,
    { a, b, inputs, outputs }: BankWeight,
    spec: AdapterSpec | undefined,
    tensors: HostTensors,
  ) {
    const { rank } = this.layout;
    const [down, up] = [new Float32Array(rank * inputs), new Float32Array(rank * outputs)];
    if (spec) {
      down.set(tensors[spec.a].data);
      const { data } = tensors[spec.b]; // [outputs, r]
      for (let out = 0; out < outputs; out++)
        for (let k = 0; k < spec.r; k++) up[k * outputs + out] = spec.scale * data[out * spec.r + k];
    }
    await this.device.write(this.state, {
      [a]: { data: down, offset: place * rank * inputs },
      [b]: { data: up, offset: place * rank * outputs },
    });
  }

  async release(): Promise<void> {
    await this.device.release(this.state);
  }
}

/** Connects a graph's inputs for the stacked A and B to the bank's tensors on the device. */
export function bankWiring(
  bank: AdapterBank | undefined,
  inputs: ReadonlyMap<string, unknown>,
): Record<string, readonly [State, string]> {
  if (!bank) return {};
  const names = bank.state.names.filter((name) => inputs.has(name));
  return Object.fromEntries(names.map((name) => [name, [bank.state, name] as const]));
}
