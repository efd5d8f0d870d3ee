// How a sentence encoder makes one vector of the last hidden states, as the files of sentence-transformers say.
// Source: UKPLab/sentence-transformers, models/Pooling.py and models/Normalize.py; Reimers and Gurevych 2019 (arXiv:1908.10084).
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PretrainedDirectoryError } from '@bowyer/checkpoints';

export type PoolingMode = 'mean' | 'cls' | 'max' | 'lasttoken';

export interface Pooling {
  mode: PoolingMode;
  /** Whether vectors have length 1. */
  normalizes: boolean;
  /** The longest text in tokens; null: the encoder's own limit. */
  maxTokens: number | null;
}

const modes: Readonly<Record<string, PoolingMode>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_lasttoken: 'lasttoken',
};

/**
 * The folder's own, or the mean where it has none, as sentence-transformers reads such folders.
 *
 * @throws {PretrainedDirectoryError} where it has a module, or a kind of pooling, that is not served
 */
export async function readPooling(dir: string): Promise<Pooling> {
  const maxTokens = await longestText(dir);
  if (!existsSync(join(dir, 'modules.json'))) return { mode: 'mean', normalizes: false, maxTokens };
  const modules = (await json(dir, 'modules.json')) as readonly { type: string; path: string }[];
  let mode: PoolingMode | null = null;
  let normalizes = false;
  for (const { type, path } of modules) {
    const name = type.split('.').at(-1);
    if (name === 'Pooling') mode = await modeOf(dir, join(path, 'config.json'));
    else if (name === 'Normalize') normalizes = true;
    else if (name !== 'Transformer')
      throw new PretrainedDirectoryError(dir, `its modules.json has the module ${type}, which is not served`);
  }
  if (mode === null) throw new PretrainedDirectoryError(dir, 'its modules.json has no module Pooling');
  return { mode, normalizes, maxTokens };
}

async function modeOf(dir: string, file: string): Promise<PoolingMode> {
  const config = (await json(dir, file)) as Record<string, unknown>;
  const asked = Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  const [key] = asked;
  if (asked.length === 1 && Object.hasOwn(modes, key)) return modes[key];
  throw new PretrainedDirectoryError(
    dir,
    `its ${file} has ${asked.join(' and ') || 'no mode of pooling'}; one of ${Object.keys(modes).join(', ')} is served`,
  );
}

async function longestText(dir: string): Promise<number | null> {
  if (!existsSync(join(dir, 'sentence_bert_config.json'))) return null;
  const { max_seq_length: longest } = (await json(dir, 'sentence_bert_config.json')) as { max_seq_length?: unknown };
  return typeof longest === 'number' ? longest : null;
}

const json = async (dir: string, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, file), 'utf8')) as unknown;

/**
 * One vector of a text's hidden states.
 *
 * @param states [tokens, size], those of padding left out
 */
export function pooled(
  states: Float32Array,
  size: number,
  { mode, normalizes }: Pick<Pooling, 'mode' | 'normalizes'>,
): Float32Array {
  const tokens = states.length / size;
  const vector = states.slice(0, size); // `cls`: the first token's
  if (mode === 'lasttoken') vector.set(states.subarray((tokens - 1) * size));
  if (mode === 'mean' || mode === 'max')
    for (let i = 0; i < size; i++) {
      let value = mode === 'max' ? -Infinity : 0;
      for (let t = 0; t < tokens; t++) {
        const state = states[t * size + i];
        value = mode === 'max' ? Math.max(value, state) : value + state / tokens;
      }
      vector[i] = value;
    }
  return normalizes ? unitLength(vector) : vector;
}

/** A vector of nothing but zeros stays one. */
export function unitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
