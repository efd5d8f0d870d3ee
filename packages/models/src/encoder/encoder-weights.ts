// The weights of an encoder under the names of Hugging Face's checkpoints: drawn afresh, loaded, saved.
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import { filled } from '../layers/linear.js';
import {
  type HostTensors,
  PretrainedDirectoryError,
  readPretrainedConfig,
  readWeights,
  writeWeights,
} from '@bowyer/checkpoints';
import { encoderConfigFromJson, encoderConfigToJson, type EncoderConfig } from './encoder-config.js';
import { embeddingMap, encoderNames, layerNames } from './encoder-names.js';

/** Standard deviation of all matrices at the start. Source: Devlin et al. 2019 (arXiv:1810.04805), their code. */
const initialDeviation = 0.02;

/** Matrices normal (0, 0.02), biases 0, layer norms 1 and 0; the padding row of the word table is zero. */
export function initializeEncoder(rng: Rng, config: EncoderConfig, { pooler }: { pooler: boolean }): HostTensors {
  const tensors: HostTensors = {};
  for (const [name, shape] of Object.entries(encoderShapes(config, { pooler }))) {
    if (/layer_?norm\.weight$/i.test(name)) tensors[name] = filled(shape, () => 1);
    else if (shape.length === 1) tensors[name] = filled(shape, () => 0);
    else tensors[name] = filled(shape, () => initialDeviation * rng.normal());
  }
  const { data, shape } = tensors['embeddings.word_embeddings.weight'];
  data.fill(0, config.padTokenId * shape[1], (config.padTokenId + 1) * shape[1]);
  return tensors;
}

/** Names and shapes; linear weights are [out, in]. */
export function encoderShapes(config: EncoderConfig, { pooler }: { pooler: boolean }): Record<string, number[]> {
  const { hiddenSize, intermediateSize, albert } = config;
  const embeddingSize = albert?.embeddingSize ?? hiddenSize;
  const names = encoderNames(config);
  const linear = (name: string, inputs: number, outputs: number) => ({
    [`${name}.weight`]: [outputs, inputs],
    [`${name}.bias`]: [outputs],
  });
  const norm = (name: string, size: number) => ({ [`${name}.weight`]: [size], [`${name}.bias`]: [size] });
  const layer = (name: string) => ({
    ...linear(`${name}.${names.query}`, hiddenSize, hiddenSize),
    ...linear(`${name}.${names.key}`, hiddenSize, hiddenSize),
    ...linear(`${name}.${names.value}`, hiddenSize, hiddenSize),
    ...linear(`${name}.${names.attentionOutput}`, hiddenSize, hiddenSize),
    ...norm(`${name}.${names.attentionNorm}`, hiddenSize),
    ...linear(`${name}.${names.inner}`, hiddenSize, intermediateSize),
    ...linear(`${name}.${names.outer}`, intermediateSize, hiddenSize),
    ...norm(`${name}.${names.outputNorm}`, hiddenSize),
  });
  return {
    'embeddings.word_embeddings.weight': [config.vocabSize, embeddingSize],
    'embeddings.position_embeddings.weight': [config.maxPositions, embeddingSize],
    ...(config.typeVocabSize > 0 && {
      'embeddings.token_type_embeddings.weight': [config.typeVocabSize, embeddingSize],
    }),
    ...norm('embeddings.LayerNorm', embeddingSize),
    ...(albert && linear(embeddingMap, embeddingSize, hiddenSize)),
    ...Object.assign({}, ...layerNames(config).map(layer)),
    ...(pooler && linear(names.pooler, hiddenSize, hiddenSize)),
  };
}

/**
 * Config and weights of a Hugging Face directory. A checkpoint without pooler weights (RoBERTa's and DistilBERT's have none) gets a fresh
 * pooler from `rng`; heads of other tasks are left out.
 */
export async function loadEncoder(
  dir: string,
  { pooler, rng }: { pooler: boolean; rng: Rng },
): Promise<{ config: EncoderConfig; tensors: HostTensors }> {
  const config = encoderConfigFromJson(await readPretrainedConfig(dir), join(dir, 'config.json'));
  const name = encoderNames(config).pooler;
  const freshIfMissing = (stored: HostTensors) =>
    pooler && !(`${name}.weight` in stored) ? freshPooler(rng, name, config.hiddenSize) : {};
  return { config, tensors: await readByShapes(dir, encoderShapes(config, { pooler }), freshIfMissing) };
}

/**
 * The tensors of these names and shapes, and no others, from a Hugging Face directory.
 *
 * @param shapes by name without the prefix of a model with a head (`bert.`)
 * @param others gives, when the files have been read, what they need not have
 */
export async function readByShapes(
  dir: string,
  shapes: Readonly<Record<string, number[]>>,
  others: (stored: HostTensors) => HostTensors = () => ({}),
): Promise<HostTensors> {
  const stored: HostTensors = {};
  for (const [name, tensor] of Object.entries(
    await readWeights(dir, { filter: (name) => modernName(name) in shapes, requireFinite: true }),
  )) {
    stored[modernName(name)] = tensor;
  }
  const found = { ...others(stored), ...stored };
  const tensors: HostTensors = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const tensor = found[name];
    if (!tensor)
      throw new PretrainedDirectoryError(dir, `its weights have no tensor '${name}' of shape [${shape.join(', ')}]`);
    if (tensor.shape.join() !== shape.join()) {
      throw new PretrainedDirectoryError(
        dir,
        `'${name}' has shape [${tensor.shape.join(', ')}], config.json specifies [${shape.join(', ')}]`,
      );
    }
    tensors[name] = tensor;
  }
  return tensors;
}

/** Writes `config.json` and the weights as Python's `AutoModel.from_pretrained` reads them. */
export async function saveEncoder(dir: string, config: EncoderConfig, tensors: HostTensors): Promise<void> {
  await writeFileAtomically(join(dir, 'config.json'), JSON.stringify(encoderConfigToJson(config), null, 2));
  await writeWeights(dir, tensors);
}

/** Without the prefix of a model with a head on top, and with today's names of layer norms (bert-base has gamma and beta). */
const modernName = (name: string) =>
  name
    .replace(/^(bert|roberta|albert|distilbert)\./, '')
    .replace(/LayerNorm\.gamma$/, 'LayerNorm.weight')
    .replace(/LayerNorm\.beta$/, 'LayerNorm.bias');

const freshPooler = (rng: Rng, name: string, hiddenSize: number): HostTensors => ({
  [`${name}.weight`]: filled([hiddenSize, hiddenSize], () => initialDeviation * rng.normal()),
  [`${name}.bias`]: filled([hiddenSize], () => 0),
});
