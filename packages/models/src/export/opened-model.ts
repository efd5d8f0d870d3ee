// Opens a model's folder for export to formats of other programs. It checks the files; parameters are read on demand.
import { openSafetensors, readDecoderConfig, type HostTensor, type HostTensors } from '@bowyer/checkpoints';
import { loadTokenizer, type HuggingFaceTokenizer } from '@bowyer/text';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { parameterReader } from '../architecture/checkpoint-layout.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { checkVocabulary } from '../architecture/vocabulary-check.js';
import { architectureFor } from '../language-model/architectures.js';
import { openAdapterDirectory } from '../language-model/model-weights.js';
import { withStoredHead } from '../language-model/stored-head.js';
import type { AdapterLayout } from '../lora/adapter-layout.js';
import { mergeAdapters } from '../lora/merge-adapters.js';
import { adapterLayoutIn, readAdapterWeights } from '../lora/peft-files.js';

/** Reads a parameter; weights of linear layers are [out, in]. */
export type ReadParameter = (spec: ParameterSpec) => Promise<HostTensor>;

export interface OpenedAdapter {
  layout: AdapterLayout;
  weights: HostTensors;
}

export interface OpenedModel {
  /** The model's folder; for an adapter, the base model's. */
  baseDir: string;
  architecture: CausalArchitecture;
  tokenizer: HuggingFaceTokenizer;
  adapter?: OpenedAdapter;
  /** Reads parameters without the adapter. */
  read: ReadParameter;
}

/** Opens the folder of a model, or of an adapter and its base, and closes it after `use`. */
export async function withOpenedModel<T>(dir: string, use: (model: OpenedModel) => Promise<T>): Promise<T> {
  const { baseDir, adapter } = await openAdapterDirectory(dir);
  const config = await readDecoderConfig(baseDir);
  const tokenizer = await loadTokenizer(baseDir, { templatesOf: dir });
  const file = await openSafetensors(baseDir);
  try {
    const { json, source } = await withStoredHead(config, file, baseDir);
    const architecture = architectureFor(json, baseDir);
    checkVocabulary(tokenizer.vocabSize, architecture.vocabSize, baseDir);
    const layout = adapter && adapterLayoutIn(dir, architecture, adapter);
    const opened = layout && { layout, weights: await readAdapterWeights(dir, layout) };
    const read = parameterReader(architecture.parameters, source);
    return await use({ baseDir, architecture, tokenizer, read, ...(opened && { adapter: opened }) });
  } finally {
    await file.close();
  }
}

/** Returns a reader of the parameters with the adapter merged, if there is one. */
export function mergedReader({ read, adapter }: OpenedModel): ReadParameter {
  if (adapter === undefined) return read;
  const { layout, weights } = adapter;
  return async (spec) => {
    const tensor = await read(spec);
    const own = layout.adapters.get(spec.name);
    if (own) mergeAdapters({ [spec.name]: tensor }, weights, { ...layout, adapters: new Map([[spec.name, own]]) });
    return tensor;
  };
}
