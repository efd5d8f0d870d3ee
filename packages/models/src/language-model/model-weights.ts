// The parts of a model on a device: its base, whole or quantised, and the adapters beside a frozen one.
import { maximum, Rng } from '@bowyer/core';
import type { ConfigJson } from '@bowyer/checkpoints';
import type { Device, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { adapterLayout, initializeAdapters, type AdapterLayout } from '../lora/adapter-layout.js';
import { AdapterBank } from '../lora/adapter-bank.js';
import { ALL_LAYERS, bankLayout } from '../lora/adapter-bank-layout.js';
import type { AdapterWeights } from '../lora/adapter-graph.js';
import type { LoraOptions } from '../lora/lora-options.js';
import {
  adapterLayoutIn,
  isAdapterDirectory,
  readAdapterConfig,
  readAdapterOptions,
  readAdapterWeights,
} from '../lora/peft-files.js';

export interface ModelWeights {
  /** The architecture's parameters, less those that are quantised. */
  base: State;
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** The weights that decoding and products of integers read: these, and the output head in 8 bits. */
  quantizedWithHeads?: ReadonlyMap<string, QuantizedWeight>;
  adapters?: Omit<AdapterWeights, 'dropoutRng'> & { seed: number };
  /** Room for adapters of which every turn has its own. */
  bank?: AdapterBank;
  /** Whether the base is another model's, which releases it. */
  isBaseShared?: boolean;
  /** Directory that the base came from. */
  baseDir?: string;
  /** Contents of that directory's generation_config.json, which a saved model keeps. */
  generation?: ConfigJson;
}

/** Finds the directory of the base model, and the adapter in `dir`, if there is one. */
export async function openAdapterDirectory(dir: string): Promise<{ baseDir: string; adapter?: LoraOptions }> {
  if (!isAdapterDirectory(dir)) return { baseDir: dir };
  const { options, base } = await readAdapterConfig(dir);
  return { baseDir: base, adapter: options };
}

/** Makes adapters with PEFT's start values, or those of a directory. */
export async function createAdapters(
  device: Device,
  architecture: CausalArchitecture,
  { options, seed, dir }: { options: LoraOptions; seed: number; dir?: string },
): Promise<NonNullable<ModelWeights['adapters']>> {
  const layout = dir ? adapterLayoutIn(dir, architecture, options) : adapterLayout(architecture, options);
  const tensors = dir
    ? await readAdapterWeights(dir, layout)
    : initializeAdapters(layout, Rng.forPurpose(seed, 'lora'));
  const parameters = await device.createState(tensors);
  const scalar = (value: number) => ({ shape: [], data: Float32Array.of(value) });
  return { layout, parameters, switch: await device.createState({ on: scalar(1), off: scalar(0) }), seed };
}

/** Room for adapters beside a model. */
export interface BankOptions {
  /** Adapters at the same time. */
  places: number;
  /** The largest rank; null: that of `dirs`, and at least `leastRank`. */
  rank: number | null;
  /** 1 if not given. */
  leastRank?: number;
  /** The layers that have room: as those of `LoraOptions`, or 'all'; null: the layers that the adapters in `dirs` change. */
  targetModules: LoraOptions['targetModules'] | typeof ALL_LAYERS;
  /** Adapters that there must be room for. */
  dirs: readonly string[];
}

export async function createBank(
  device: Device,
  architecture: CausalArchitecture,
  { places, rank, leastRank = 1, targetModules, dirs }: BankOptions,
): Promise<AdapterBank> {
  const layouts: AdapterLayout[] = [];
  for (const dir of dirs) layouts.push(adapterLayoutIn(dir, architecture, (await readAdapterOptions(dir)).options));
  const specs = layouts.flatMap((layout) => [...layout.adapters.values()]);
  const given = targetModules === null ? [] : [targetModules];
  const targets = specs.length > 0 ? [specs.map(({ module }) => module), ...given] : given;
  const sizes = { places, rank: rank ?? maximum([leastRank, ...specs.map(({ r }) => r)]) };
  const layout = bankLayout(architecture, sizes, targetModules === ALL_LAYERS ? ALL_LAYERS : targets);
  return AdapterBank.create(device, architecture, layout);
}
