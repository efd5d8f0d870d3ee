// Opens the LoRA adapters that task=serve_model serves by name, and decides for how many further ones memory is reserved.
import { resolve } from 'node:path';
import type { LanguageModel, LoadOptions } from '@bowyer/models';
import type { ModelServerOptions } from '@bowyer/serving';
import { agentFolderOf } from '../../agent/folders/model-folders.js';
import type { TaskContext } from '../../context/task-context.js';

export interface AdapterConfig {
  adapters: Readonly<Record<string, string>> | null;
  runtimeAdapters: readonly string[];
  maxAdapters: number | null;
  maxAdapterRank: number | null;
  adapterTargetModules: readonly string[] | string | null;
}

export const withoutAdapters: AdapterConfig = {
  adapters: null,
  runtimeAdapters: [],
  maxAdapters: null,
  maxAdapterRank: null,
  adapterTargetModules: null,
};

/** The number and the rank of the adapters that clients can load while the server runs, if the config gives neither. */
const RUNTIME = { places: 4, rank: 16 };

const foldersOf = ({ adapters }: AdapterConfig): Record<string, string> =>
  Object.fromEntries(Object.entries(adapters ?? {}).map(([name, place]) => [name, resolve(agentFolderOf(place))]));

/** Undefined: the model reserves no memory for adapters. */
export function adapterBankOf(config: AdapterConfig): LoadOptions['adapterBank'] {
  const { runtimeAdapters, maxAdapters, maxAdapterRank, adapterTargetModules } = config;
  const dirs = Object.values(foldersOf(config));
  const isOpen = runtimeAdapters.length > 0;
  if (dirs.length === 0 && !isOpen) return undefined;
  return {
    places: maxAdapters ?? (isOpen ? dirs.length + RUNTIME.places : dirs.length),
    rank: maxAdapterRank,
    leastRank: isOpen ? RUNTIME.rank : 1,
    targetModules: adapterTargetModules ?? (isOpen ? 'all' : null),
    dirs,
  };
}

export function servedAdapters(
  model: string,
  config: AdapterConfig,
  log: TaskContext['log'],
): ModelServerOptions['adapters'] {
  if (adapterBankOf(config) === undefined) return undefined;
  return {
    given: foldersOf(config),
    modelFolder: resolve(model),
    allowedFolders: config.runtimeAdapters.map((folder) => resolve(folder)),
    onNotice: (notice) => log(notice),
  };
}

export function announceRoom({ adapterBank }: LanguageModel, log: TaskContext['log']): void {
  if (!adapterBank) return;
  const { places, rank, weights } = adapterBank.layout;
  const megabytes = Math.ceil((4 * adapterBank.state.size) / 1e6);
  log(`room for ${places} adapters of rank ${rank} or less beside ${weights.size} layers: ${megabytes} MB`);
}
