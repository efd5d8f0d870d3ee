// Makes architecture, tokenizer and weights of a language model on a device, with random weights or from Hugging Face's files.
import { join, resolve } from 'node:path';
import {
  openSafetensors,
  readDecoderConfig,
  readGenerationFields,
  type CheckpointReader,
  type ConfigJson,
} from '@bowyer/checkpoints';
import { freeMemory } from '@bowyer/core';
import type { Device, Precision, StateTensorInit } from '@bowyer/graph';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { eachParameter } from '../architecture/checkpoint-layout.js';
import { checkMemory } from '../architecture/initialize-parameters.js';
import { checkVocabulary } from '../architecture/vocabulary-check.js';
import { AdapterError } from '../lora/peft-files.js';
import { FrozenWeights } from '../quantization/frozen-weights.js';
import type { Quantization } from '../quantization/weight-layouts.js';
import { frozenTensor, frozenTensors } from '../weights/compute-weights.js';
import { architectureFor } from './architectures.js';
import type { CreateOptions, LoadOptions } from './model-options.js';
import { createAdapters, createBank, openAdapterDirectory, type ModelWeights } from './model-weights.js';
import { withStoredHead } from './stored-head.js';

interface ModelParts {
  architecture: CausalArchitecture;
  tokenizer: Tokenizer;
  weights: ModelWeights;
}

export async function freshModel(options: CreateOptions): Promise<Omit<ModelParts, 'tokenizer'>> {
  const { device, lora, quantization = 'none', tokenizer, config, rng } = options;
  const architecture = architectureFor({ vocab_size: tokenizer.vocabSize, ...config });
  checkVocabulary(tokenizer.vocabSize, architecture.vocabSize, 'LanguageModel.create');
  checkMemory(architecture.parameters);
  const weights = new FrozenWeights(device, architecture, quantization);
  for (const spec of architecture.parameters) weights.addInitialized(spec, rng);
  // Frozen parameters need no float32 copy where graphs compute in float16, since no optimizer updates them.
  const isFrozen = lora !== undefined || quantization !== 'none';
  const base = await device.createState(isFrozen ? frozenTensors(weights.tensors, device.precision) : weights.tensors);
  const adapters = lora && (await createAdapters(device, architecture, { options: lora, seed: lora.seed }));
  return { architecture, weights: { base, ...weights.kept, adapters } };
}

/** Reads a Hugging Face directory, or a PEFT directory and that of its base model. */
export async function readModel(options: LoadOptions): Promise<ModelParts> {
  const { dir, device, lora, quantization = 'none', adapterBank } = options;
  const { baseDir, adapter } = await openAdapterDirectory(dir);
  if (adapterBank && (adapter || lora))
    throw new Error(
      `LanguageModel.load: ${dir} ${adapter ? 'is an adapter itself' : 'is to be trained with LoRA'}, so no others can be loaded beside it\n` +
        '  load its base, and it as one of the adapters',
    );
  const config = await readDecoderConfig(baseDir);
  const tokenizer = await loadTokenizer(baseDir, { chatTemplate: options.chatTemplate, templatesOf: dir });
  checkVocabulary(tokenizer.vocabSize, architectureFor(config, configPath(baseDir)).vocabSize, baseDir);
  if (adapter?.usesMagnitudes && quantization !== 'none')
    throw new AdapterError(
      dir,
      'adapter_config.json: use_dora is true, which needs the norms of the base in float32',
      `load it without quantization (${quantization})`,
    );
  // The dropout is chosen for this training; the other settings are those of the saved adapter.
  const loraOptions = adapter ? { ...adapter, dropout: lora?.dropout ?? adapter.dropout } : lora;
  const { architecture, adapters, base, kept } = await readWeights(
    { device, config, dir: baseDir, quantization },
    async (described) =>
      loraOptions &&
      createAdapters(device, described, { options: loraOptions, seed: lora?.seed ?? 0, dir: adapter && dir }),
  );
  const { file, json } = await readGenerationFields(baseDir);
  const weights = {
    base,
    ...kept,
    adapters,
    // The path is absolute, since it is saved with an adapter, which may be read from another working directory.
    baseDir: resolve(baseDir),
    bank: adapterBank && (await createBank(device, architecture, adapterBank)),
    generation: file === 'generation_config.json' ? json : undefined,
  };
  return { architecture, tokenizer, weights };
}

const configPath = (dir: string) => join(dir, 'config.json');

interface ModelSource {
  device: Device;
  config: ConfigJson;
  dir: string;
  quantization: Quantization;
}

/** Each weight is moved to the device, or quantised, before the next is read: host memory has one or two in float32. */
async function readWeights(
  { device, config, dir, quantization }: ModelSource,
  adaptersFor: (architecture: CausalArchitecture) => Promise<ModelWeights['adapters']>,
): Promise<
  Pick<ModelWeights, 'adapters' | 'base'> & { architecture: CausalArchitecture; kept: FrozenWeights['kept'] }
> {
  const file = await openSafetensors(dir);
  try {
    const { json, source } = await withStoredHead(config, file, configPath(dir));
    const architecture = architectureFor(json, configPath(dir));
    const weights = new FrozenWeights(device, architecture, quantization);
    const adapters = await adaptersFor(architecture);
    const isFrozen = adapters !== undefined || quantization !== 'none';
    const base = await device.createStateFrom(whole(architecture, source, weights, isFrozen, device.precision));
    return { architecture, adapters, base, kept: weights.kept };
  } finally {
    await file.close();
  }
}

/** Yields the parameters that are not quantised. */
async function* whole(
  { parameters }: CausalArchitecture,
  source: CheckpointReader,
  weights: FrozenWeights,
  isFrozen: boolean,
  precision: Precision,
): AsyncGenerator<[string, StateTensorInit]> {
  for await (const [name, tensor] of eachParameter(parameters, source))
    if (weights.takesQuantized(name, tensor)) freeMemory(tensor.data);
    else yield [name, isFrozen ? frozenTensor(tensor, precision) : tensor];
}
