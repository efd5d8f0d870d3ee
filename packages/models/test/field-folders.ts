// Writes model folders that differ in single fields of their files, with weights by the formula of record-fields.py.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSafetensors, type ConfigJson, type HostTensor, type HostTensors } from '@bowyer/checkpoints';
import { fileShape } from '../src/architecture/checkpoint-layout.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { wordLevelTokenizer } from '@bowyer/text';

/** Reads a recording of record-fields.py: `decoders`, `generation`, `adapters` or `fields`. */
export const recorded = <T>(name: string): T =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`./recorded-fields/${name}.json`, import.meta.url)), 'utf8')) as T;

/** Computes 0.3 sin(1.7 i + h), where h depends on the name; norms' scales are about 1. `shape` is the shape in the file. */
export function weightsOf(name: string, shape: readonly number[]): HostTensor {
  let h = 0;
  for (const byte of Buffer.from(name)) h = (h * 31 + byte) % 997;
  const isScale = shape.length === 1 && name.endsWith('weight');
  const data = Float32Array.from(
    { length: shape.reduce((size, dim) => size * dim, 1) },
    (_, i) => Number(isScale) + 0.3 * Math.sin(1.7 * i + h),
  );
  return { shape: [...shape], data };
}

export interface FolderFiles {
  config: ConfigJson;
  /** Names of further tensors, with the embedding's shape. */
  extra?: readonly string[];
  /** Names of further tensors that equal the embedding. */
  twins?: readonly string[];
  /** Names of the model's tensors that the file does not contain. */
  missing?: readonly string[];
}

const EMBEDDING = /(embed_tokens|wte|embed_in|word_embeddings)\.weight$/;

/** These words have the ids 3 to 28; <pad>, <eos> and <unk> come first. */
const words = Array.from({ length: 26 }, (_, i) => `w${i}`);

/**
 * Writes a model's folder.
 *
 * @returns the folder's path
 */
export async function writeFolder(dir: string, { config, extra = [], twins = [], missing = [] }: FolderFiles) {
  const specs = architectureFor(config).parameters;
  const tensors: HostTensors = Object.fromEntries(
    specs.map((spec) => [spec.name, weightsOf(spec.name, fileShape(spec))]),
  );
  const embedding = tensors[specs.find(({ name }) => EMBEDDING.test(name))!.name];
  for (const name of extra) tensors[name] = weightsOf(name, embedding.shape);
  for (const name of twins) tensors[name] = { ...embedding, data: embedding.data.slice() };
  for (const name of missing) delete tensors[name];
  mkdirSync(dir, { recursive: true });
  await writeSafetensors(join(dir, 'model.safetensors'), tensors);
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  await wordLevelTokenizer([words.join(' ')], { minCount: 1 }).save(dir);
  return dir;
}
