// Pools the last hidden states of a sentence encoder into one vector, as the files of sentence-transformers define.
// Source: UKPLab/sentence-transformers, its modules Pooling and Normalize (6.0.1); Reimers and Gurevych 2019 (arXiv:1908.10084).
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PretrainedDirectoryError } from '@bowyer/checkpoints';

type PoolingMode = 'cls' | 'max' | 'mean' | 'mean_sqrt_len_tokens' | 'weightedmean' | 'lasttoken';

export interface Pooling {
  /** The kinds of pooling, whose results are concatenated in this order. */
  modes: readonly PoolingMode[];
  /** Whether vectors are scaled to length 1. */
  normalizes: boolean;
  /** The most tokens of a text; null: the encoder's own limit. */
  maxTokens: number | null;
  /** Whether texts are converted to lower case before they are tokenized. */
  lowerCases: boolean;
}

/** The kinds of pooling by the keys of older files, in the order in which their results are concatenated. */
const modes: Readonly<Record<string, PoolingMode>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len_tokens',
  pooling_mode_weightedmean_tokens: 'weightedmean',
  pooling_mode_lasttoken: 'lasttoken',
};

/**
 * Reads the pooling of a folder; a folder without one has the mean, as in sentence-transformers.
 *
 * @throws {PretrainedDirectoryError} if it has a module or a kind of pooling that is not supported
 */
export async function readPooling(dir: string): Promise<Pooling> {
  await refusePrompt(dir);
  const { max_seq_length: longest, do_lower_case: lowerCases } = await jsonIfAny(dir, 'sentence_bert_config.json');
  const text = { maxTokens: typeof longest === 'number' ? longest : null, lowerCases: lowerCases === true };
  if (!existsSync(join(dir, 'modules.json'))) return { modes: ['mean'], normalizes: false, ...text };
  const modules = (await json(dir, 'modules.json')) as readonly { type: string; path: string }[];
  let asked: readonly PoolingMode[] | null = null;
  let normalizes = false;
  for (const { type, path } of modules) {
    const name = type.split('.').at(-1);
    if (name === 'Pooling') asked = await modesOf(dir, join(path, 'config.json'));
    else if (name === 'Normalize') normalizes = true;
    else if (name !== 'Transformer')
      throw new PretrainedDirectoryError(dir, `its modules.json has the module ${type}, which is not served`);
  }
  if (asked === null) throw new PretrainedDirectoryError(dir, 'its modules.json has no module Pooling');
  return { modes: asked, normalizes, ...text };
}

/**
 * Reads the kinds of pooling. Files of sentence-transformers 6 name one or several; older ones have a boolean for each, and none of
 * them means the mean.
 */
async function modesOf(dir: string, file: string): Promise<readonly PoolingMode[]> {
  const config = (await json(dir, file)) as Record<string, unknown>;
  const asked = Object.keys(modes).filter((key) => config[key] === true);
  const { pooling_mode: named = asked.length === 0 ? 'mean' : asked.map((key) => modes[key]) } = config;
  const list: unknown[] = Array.isArray(named) ? named : [named];
  const known = Object.values(modes);
  const unknown = list.filter((mode) => !known.includes(mode as PoolingMode)).map((mode) => JSON.stringify(mode));
  const others = Object.keys(config).filter(
    (key) => key.startsWith('pooling_mode_') && config[key] === true && !Object.hasOwn(modes, key),
  );
  if (unknown.length === 0 && others.length === 0 && list.length > 0) return list as PoolingMode[];
  throw new PretrainedDirectoryError(
    dir,
    `its ${file} has ${[...unknown, ...others].join(' and ') || 'no mode of pooling'}; ${known.join(', ')} are served`,
  );
}

/** Refuses a default prompt, which would precede each text: requests for embeddings have no field to turn it off. */
async function refusePrompt(dir: string): Promise<void> {
  const { default_prompt_name: name, prompts } = await jsonIfAny(dir, 'config_sentence_transformers.json');
  const prompt = typeof name === 'string' ? (prompts as Record<string, unknown> | undefined)?.[name] : '';
  if (typeof prompt === 'string' && prompt !== '')
    throw new PretrainedDirectoryError(
      dir,
      `its config_sentence_transformers.json puts the prompt '${String(name)}', ${JSON.stringify(prompt)}, before each text, which is not served; set default_prompt_name to null, and send texts that begin with it`,
    );
}

const jsonIfAny = async (dir: string, file: string) =>
  (existsSync(join(dir, file)) ? await json(dir, file) : {}) as Record<string, unknown>;

const json = async (dir: string, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, file), 'utf8')) as unknown;

/** Computes a text's vector [modes · size] from its hidden states [tokens, size], without padding. */
export function pooled(
  states: Float32Array,
  size: number,
  { modes, normalizes }: Pick<Pooling, 'modes' | 'normalizes'>,
): Float32Array {
  const vector = new Float32Array(modes.length * size);
  modes.forEach((mode, i) => vector.set(part(states, size, mode), i * size));
  return normalizes ? unitLength(vector) : vector;
}

/** Computes the result of one kind of pooling, [size]. */
function part(states: Float32Array, size: number, mode: PoolingMode): Float32Array {
  const tokens = states.length / size;
  switch (mode) {
    case 'cls':
      return states.subarray(0, size);
    case 'lasttoken':
      return states.subarray((tokens - 1) * size);
    case 'max':
      return states.slice(0, size).map((first, i) => {
        let most = first;
        for (let t = 1; t < tokens; t++) most = Math.max(most, states[t * size + i]);
        return most;
      });
    case 'mean':
      return weightedSum(states, size, () => 1 / tokens);
    case 'mean_sqrt_len_tokens':
      return weightedSum(states, size, () => 1 / Math.sqrt(tokens));
    case 'weightedmean': // the weights 1, 2, 3 … make later tokens count more
      return weightedSum(states, size, (t) => (t + 1) / ((tokens * (tokens + 1)) / 2));
  }
}

/** Computes Σ weight(t) · state(t), in float64. */
function weightedSum(states: Float32Array, size: number, weight: (token: number) => number): Float32Array {
  const tokens = range(states.length / size);
  return Float32Array.from(range(size), (i) => tokens.reduce((sum, t) => sum + weight(t) * states[t * size + i], 0));
}

const range = (length: number) => Array.from({ length }, (_, i) => i);

/** Scales a vector to length 1; a vector of zeros is not changed. */
function unitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
