// Initializes, loads and saves the weights of an encoder under the names of Hugging Face's checkpoints.
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import { configText } from '../architecture/config-text.js';
import { filled } from '../layers/linear.js';
import {
  type HostTensors,
  PretrainedDirectoryError,
  readPretrainedConfig,
  readWeights,
  writeWeights,
} from '@bowyer/checkpoints';
import { debertaShapes } from './deberta.js';
import { encoderConfigFromJson, encoderConfigToJson, headPrefix, type EncoderConfig } from './encoder-config.js';
import { embeddingMap, encoderNames, layerNames, poolerName, wordTable } from './encoder-names.js';
import { modernBertShapes } from './modernbert.js';

/** The standard deviation of all initial matrices. Source: Devlin et al. 2019 (arXiv:1810.04805), their code. */
const initialDeviation = 0.02;

/** Initializes weights: matrices normal with mean 0, biases 0, scales of layer norms 1; the word table's row of padding is zero. */
export function initializeEncoder(rng: Rng, config: EncoderConfig, { pooler }: { pooler: boolean }): HostTensors {
  const tensors: HostTensors = {};
  for (const [name, shape] of Object.entries(encoderShapes(config, { pooler }))) {
    if (/norm\.weight$/i.test(name)) tensors[name] = filled(shape, () => 1);
    else if (shape.length === 1) tensors[name] = filled(shape, () => 0);
    else tensors[name] = filled(shape, () => initialDeviation * rng.normal());
  }
  const { data, shape } = tensors[wordTable(config)];
  data.fill(0, config.padTokenId * shape[1], (config.padTokenId + 1) * shape[1]);
  return tensors;
}

/** Returns the names and shapes of an encoder's weights; those of linear layers are [out, in]. */
export function encoderShapes(config: EncoderConfig, { pooler }: { pooler: boolean }): Record<string, number[]> {
  const { hiddenSize } = config;
  return {
    ...(config.modernbert ? modernBertShapes(config) : bertShapes(config)),
    ...(pooler && linearShapes(poolerName(config), hiddenSize, hiddenSize)),
  };
}

const linearShapes = (name: string, inputs: number, outputs: number) => ({
  [`${name}.weight`]: [outputs, inputs],
  [`${name}.bias`]: [outputs],
});

function bertShapes(config: EncoderConfig): Record<string, number[]> {
  const { hiddenSize, intermediateSize, deberta } = config;
  const map = embeddingMap(config);
  const embeddingSize = map?.size ?? hiddenSize;
  const names = encoderNames(config);
  const norm = (name: string, size: number) => ({ [`${name}.weight`]: [size], [`${name}.bias`]: [size] });
  const layer = (name: string) => ({
    ...linearShapes(`${name}.${names.query}`, hiddenSize, hiddenSize),
    ...linearShapes(`${name}.${names.key}`, hiddenSize, hiddenSize),
    ...linearShapes(`${name}.${names.value}`, hiddenSize, hiddenSize),
    ...linearShapes(`${name}.${names.attentionOutput}`, hiddenSize, hiddenSize),
    ...norm(`${name}.${names.attentionNorm}`, hiddenSize),
    ...linearShapes(`${name}.${names.inner}`, hiddenSize, intermediateSize),
    ...linearShapes(`${name}.${names.outer}`, intermediateSize, hiddenSize),
    ...norm(`${name}.${names.outputNorm}`, hiddenSize),
  });
  const hasPositions = deberta?.absolutePositions ?? true;
  return {
    'embeddings.word_embeddings.weight': [config.vocabSize, embeddingSize],
    ...(hasPositions && { 'embeddings.position_embeddings.weight': [config.maxPositions, embeddingSize] }),
    ...(config.typeVocabSize > 0 && {
      'embeddings.token_type_embeddings.weight': [config.typeVocabSize, embeddingSize],
    }),
    ...norm('embeddings.LayerNorm', embeddingSize),
    ...(map && linearShapes(map.name, embeddingSize, hiddenSize)),
    ...Object.assign({}, ...layerNames(config).map(layer)),
    ...debertaShapes(config),
  };
}

/**
 * Loads config and weights of a Hugging Face directory. A checkpoint without a pooler (as in most families) gets a newly initialized
 * one, drawn from `rng`; heads for other tasks are ignored.
 */
export async function loadEncoder(
  dir: string,
  { pooler, rng }: { pooler: boolean; rng: Rng },
): Promise<{ config: EncoderConfig; tensors: HostTensors }> {
  const config = encoderConfigFromJson(await readPretrainedConfig(dir), join(dir, 'config.json'));
  const name = poolerName(config);
  const shapes = encoderShapes(config, { pooler });
  const stored = await readPresent(dir, shapes, config);
  const fresh = pooler && !(`${name}.weight` in stored) ? freshPooler(rng, name, config.hiddenSize) : {};
  const found = { ...fresh, ...stored };
  const missing = Object.keys(shapes).find((tensor) => !(tensor in found));
  if (missing !== undefined)
    throw new PretrainedDirectoryError(
      dir,
      `its weights have no tensor '${missing}' of shape [${shapes[missing].join(', ')}]`,
    );
  return { config, tensors: Object.fromEntries(Object.keys(shapes).map((tensor) => [tensor, found[tensor]])) };
}

/** Reads the tensors with these names, without the prefix of a model with a head (`bert.`); each must have its shape. */
async function readPresent(
  dir: string,
  shapes: Readonly<Record<string, number[]>>,
  config: EncoderConfig,
): Promise<HostTensors> {
  const nameOf = (name: string) => modernName(name, config);
  const read = await readWeights(dir, { filter: (name) => nameOf(name) in shapes, requireFinite: true });
  const stored: HostTensors = {};
  for (const [found, tensor] of Object.entries(read)) {
    const name = nameOf(found);
    if (tensor.shape.join() !== shapes[name].join()) {
      throw new PretrainedDirectoryError(
        dir,
        `'${name}' has shape [${tensor.shape.join(', ')}], config.json specifies [${shapes[name].join(', ')}]`,
      );
    }
    stored[name] = tensor;
  }
  return stored;
}

/** Writes `config.json` and the weights so that Python's `AutoModel.from_pretrained` can read them. */
export async function saveEncoder(dir: string, config: EncoderConfig, tensors: HostTensors): Promise<void> {
  await writeFileAtomically(join(dir, 'config.json'), configText({ ...encoderConfigToJson(config) }));
  await writeWeights(dir, tensors);
}

/** Returns a weight's name without the prefix of a model with a head, and with current names of norms (not gamma and beta). */
const modernName = (name: string, config: EncoderConfig) => {
  const prefix = headPrefix(config);
  return (name.startsWith(prefix) ? name.slice(prefix.length) : name)
    .replace(/LayerNorm\.gamma$/, 'LayerNorm.weight')
    .replace(/LayerNorm\.beta$/, 'LayerNorm.bias');
};

const freshPooler = (rng: Rng, name: string, hiddenSize: number): HostTensors => ({
  [`${name}.weight`]: filled([hiddenSize, hiddenSize], () => initialDeviation * rng.normal()),
  [`${name}.bias`]: filled([hiddenSize], () => 0),
});
