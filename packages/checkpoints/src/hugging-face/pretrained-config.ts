// Reads config files of a Hugging Face model directory, and checks that it contains readable weights.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The contents of `config.json`. The reader of each model family validates the keys. */
export type PretrainedConfig = Record<string, unknown> & { model_type?: string };

/** The error for a directory that lacks a required file. */
export class PretrainedDirectoryError extends Error {
  override readonly name = 'PretrainedDirectoryError';

  constructor(
    readonly dir: string,
    problem: string,
    advice?: string,
  ) {
    super(
      [
        `Cannot load a model from ${dir}`,
        `  ${problem}`,
        ...(advice ? [`  ${advice}`] : []),
        '  a Hugging Face model directory contains config.json, tokenizer.json, and model.safetensors or model.safetensors.index.json with its shards',
      ].join('\n'),
    );
  }
}

/** Reads `config.json`, and checks that the directory contains weights, before any expensive work. */
export async function readPretrainedConfig(dir: string): Promise<PretrainedConfig> {
  const files = await readdir(dir).catch(() => null);
  if (!files) throw new PretrainedDirectoryError(dir, 'the directory does not exist');
  if (!files.includes('config.json')) throw new PretrainedDirectoryError(dir, 'it has no config.json', listing(files));
  if (!files.includes('model.safetensors') && !files.includes('model.safetensors.index.json')) {
    const pickled = files.find((file) => /\.(bin|pt|pth)$/.test(file));
    throw new PretrainedDirectoryError(
      dir,
      'it has no weights in safetensors format',
      pickled
        ? `it has ${pickled}: convert it with 'npx bowyer --config-name convert task.input=FILE task.output=DIRECTORY'`
        : listing(files),
    );
  }
  return parseConfig(await readFile(join(dir, 'config.json'), 'utf8'), dir);
}

/** Reads `generation_config.json`; empty if it does not exist. */
export async function readGenerationConfig(dir: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(dir, 'generation_config.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return parseConfig(text, dir, 'generation_config.json');
}

/** Reads the generation settings from `generation_config.json`, or else from `config.json`, as Python's library does. */
export async function readGenerationFields(
  dir: string,
): Promise<{ file: 'generation_config.json' | 'config.json'; json: Record<string, unknown> }> {
  const own = (await readdir(dir)).includes('generation_config.json');
  return own
    ? { file: 'generation_config.json', json: await readGenerationConfig(dir) }
    : { file: 'config.json', json: await readPretrainedConfig(dir) };
}

/** Reads `config.json`, with the end-of-text tokens of `generation_config.json` if it has any: chat models may have more. */
export async function readDecoderConfig(dir: string): Promise<PretrainedConfig> {
  const config = await readPretrainedConfig(dir);
  const { eos_token_id: ends } = await readGenerationConfig(dir);
  return ends === undefined || ends === null ? config : { ...config, eos_token_id: ends };
}

/** Parses a config file, which must contain an object. @param dir the file's directory, for error messages, like `file` */
export function parseConfig(text: string, dir: string, file = 'config.json'): PretrainedConfig {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new PretrainedDirectoryError(dir, `its ${file} is not JSON: ${(error as Error).message}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new PretrainedDirectoryError(dir, `its ${file} is not a JSON object: ${text.trim().slice(0, 40)}`);
  return json as PretrainedConfig;
}

const listing = (files: string[]) =>
  files.length ? `it contains ${files.slice(0, 8).join(', ')}${files.length > 8 ? ', …' : ''}` : 'it is empty';
