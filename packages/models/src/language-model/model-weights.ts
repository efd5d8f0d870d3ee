// Holds a model's weights on a device: the base model in float32 or quantised, and LoRA adapters on a frozen base.
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

/** Holds the weights of a model. */
export interface ModelWeights {
  /** The architecture's parameters, except those that are quantised. */
  base: State;
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** The weights that decoding and integer products read: `quantized`, and a copy of the output head in 8 bits. */
  quantizedWithHeads?: ReadonlyMap<string, QuantizedWeight>;
  adapters?: Omit<AdapterWeights, 'dropoutRng'> & { seed: number };
  /** The bank of adapters from which each turn of an episode can select one. */
  bank?: AdapterBank;
  /** Whether the base belongs to another model, whose release frees it. */
  isBaseShared?: boolean;
  /** The directory from which the base was read; undefined for random weights. */
  baseDir?: string;
  /** The generation_config.json in `baseDir`, which is saved with the model. */
  generation?: ConfigJson;
}

/** Returns the directory of the base model and, if `dir` contains an adapter, the adapter's settings. */
export async function openAdapterDirectory(dir: string): Promise<{ baseDir: string; adapter?: LoraOptions }> {
  if (!isAdapterDirectory(dir)) return { baseDir: dir };
  const { options, base } = await readAdapterConfig(dir);
  return { baseDir: base, adapter: options };
}

/** Creates adapters with PEFT's initial values, or reads them from a directory. */
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

/** The size of a bank of adapters, which holds several adapters of one model. */
export interface BankOptions {
  /** The number of adapters that can be loaded at the same time. */
  places: number;
  /** The largest rank of an adapter; null: the largest rank of the adapters in `dirs`, and at least `leastRank`. */
  rank: number | null;
  /** The least rank for which the bank has room if `rank` is null; 1 if omitted. */
  leastRank?: number;
  /** The layers that adapters can change, as in `LoraOptions`, or 'all'; null: the layers that the adapters in `dirs` change. */
  targetModules: LoraOptions['targetModules'] | typeof ALL_LAYERS;
  /** The directories of adapters that must fit into the bank. */
  dirs: readonly string[];
}

/** Creates a bank of adapters into which the adapters in `dirs` fit. */
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
