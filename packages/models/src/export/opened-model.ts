// A model's folder as the formats of other programs are written from it: what is in it is checked, and its parameters are read when
// their turn comes.
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

/** A parameter in memory: linear weights are [out, in]. */
export type ReadParameter = (spec: ParameterSpec) => Promise<HostTensor>;

export interface OpenedAdapter {
  layout: AdapterLayout;
  weights: HostTensors;
}

export interface OpenedModel {
  /** The folder of the model, or that of the base where the folder is an adapter's. */
  baseDir: string;
  architecture: CausalArchitecture;
  tokenizer: HuggingFaceTokenizer;
  adapter?: OpenedAdapter;
  /** Parameters as they are stored, without the adapter. */
  read: ReadParameter;
}

/**
 * Opens a model's folder, or an adapter's and its base.
 *
 * @param dir the folder of a model, or of an adapter; its files are open while `use` runs
 */
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

/** Returns the parameters with the adapter added, where there is one. */
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
