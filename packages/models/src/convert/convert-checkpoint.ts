// Converts a model's weights from any readable format (e.g. GGUF, PyTorch, llama2.c) to a folder in the layout of Hugging Face,
// one tensor at a time.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refuseUsedFolder, writeFileAtomically, writeNewFolder } from '@bowyer/core';
import { architectureFor, isLanguageModel } from '../language-model/architectures.js';
import { withStoredHead } from '../language-model/stored-head.js';
import { configText } from '../architecture/config-text.js';
import { savedConfig } from '../architecture/saved-config.js';
import { bareName, fileShape, namesInFile } from '../architecture/checkpoint-layout.js';
import { openGgufModel } from './gguf/gguf-model.js';
import { readLlama2cTokenizer } from './llama2c-tokenizer.js';
import {
  openCheckpoint,
  parseConfig,
  PretrainedDirectoryError,
  requireFloats,
  withoutNamePrefix,
  type OpenedCheckpoint,
  WeightsFileError,
  type CheckpointReader,
  writeWeightStream,
} from '@bowyer/checkpoints';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import { checkVocabulary } from '../architecture/vocabulary-check.js';

export interface ConvertOptions {
  /** A weights file, or a directory that contains the weights of one model. */
  input: string;
  /** The directory to create; it must be empty if it exists. */
  output: string;
  /** A config.json, or a model's directory with the same sizes; null: the one next to the weights, or derived from them. */
  config: string | null;
  /** A directory with tokenizer.json, or a tokenizer file of llama2.c; null: the tokenizer in `config` or next to the weights. */
  tokenizer: string | null;
  /** The key under which a PyTorch file has the state dict; null: one of the usual keys. */
  section: string | null;
  progress?: (done: number, total: number) => void;
  /** The command line being run, which `output` records until the command has reported it (see `writeNewFolder`). */
  command?: string;
}

interface Converted {
  kind: OpenedCheckpoint['kind'] | 'gguf';
  tensors: number;
  parameters: number;
}

/** Converts a checkpoint to a directory, which appears complete or, after an error, not at all. */
export async function convertCheckpoint(options: ConvertOptions): Promise<Converted> {
  const { input, output } = options;
  await refuseUsedFolder('convert', output);
  const { kind, source, config: ownConfig, tokenizer: ownTokenizer } = await openInput(options);
  try {
    const beside = (await stat(input)).isDirectory() ? input : dirname(input);
    const given = ownConfig ?? (await readConfig(options.config, beside));
    const { config, ...model } = await modelTensors(source, given);
    const tokenizer =
      options.tokenizer === null && ownTokenizer ? ownTokenizer() : await findTokenizer(options, beside);
    if (typeof config.vocab_size === 'number') checkVocabulary(tokenizer.vocabSize, config.vocab_size, input);
    await writeNewFolder(output, (folder) => write(folder, model, config, tokenizer, options), options.command);
    const sizes = [...model.shapes.values()].map((shape) => shape.reduce((product, size) => product * size, 1));
    return { kind, tensors: sizes.length, parameters: sizes.reduce((sum, size) => sum + size, 0) };
  } finally {
    await source.close();
  }
}

interface OpenedInput extends Omit<OpenedCheckpoint, 'kind'> {
  kind: Converted['kind'];
  /** Creates the model's tokenizer; undefined if the weights file contains none. */
  tokenizer?: () => Tokenizer;
}

async function openInput({ input, config, section }: ConvertOptions): Promise<OpenedInput> {
  if (!isGgufFile(input)) return openCheckpoint(input, { section });
  if (config !== null)
    throw new WeightsFileError(input, 'a GGUF file has its own config', `leave out task.config=${config}`);
  return { kind: 'gguf', ...(await openGgufModel(input)) };
}

export const isGgufFile = (place: string): boolean => place.endsWith('.gguf');

type ConfigJson = Readonly<Record<string, unknown>>;

async function readConfig(given: string | null, beside: string): Promise<ConfigJson> {
  const place = given ?? beside;
  const path = (await stat(place).catch(() => null))?.isDirectory() ? join(place, 'config.json') : place;
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null)
    throw new PretrainedDirectoryError(
      place,
      `the weights do not specify their model, and there is no ${path}`,
      'give the config.json of a model of the same kind and sizes, or its directory: task.config=FILE_OR_DIRECTORY',
    );
  return parseConfig(text, dirname(path));
}

/** Matches tensors that contain the positions 0, 1, 2, …, which checkpoints of encoders have besides the weights. */
const COUNTED_PLACES = /(^|\.)position_ids$/;

/** Completes the config to fit the tensors, and finds the names and shapes of tensors to write, and a reader of their values. */
async function modelTensors(source: CheckpointReader, config: ConfigJson) {
  if (!isLanguageModel(config)) {
    const model = withoutNamePrefix(source, []);
    const weights = [...model.entries].filter(([name]) => !COUNTED_PLACES.test(name));
    for (const [name, entry] of weights) requireFloats(name, entry);
    const shapes = new Map(weights.map(([name, { shape }]) => [name, shape]));
    return { config, shapes, read: async (name: string) => (await model.read(name, { requireFinite: true })).data };
  }
  const described = architectureFor(config).parameters;
  const spellings = [described.map(({ name }) => name), described.map(({ name }) => bareName(name))];
  const { json, source: model } = await withStoredHead(config, withoutNamePrefix(source, spellings), 'config.json');
  const specs = architectureFor(json).parameters;
  const names = namesInFile(specs, model);
  const shapes = new Map(specs.map((spec) => [spec.name, fileShape(spec)]));
  const read = async (name: string) => (await model.read(names.get(name)!, { requireFinite: true })).data;
  return { config: json, shapes, read };
}

async function findTokenizer({ tokenizer, config, input }: ConvertOptions, beside: string): Promise<Tokenizer> {
  if (tokenizer !== null)
    return /\.bin$/.test(tokenizer)
      ? readLlama2cTokenizer(tokenizer)
      : loadTokenizer(tokenizer.replace(/\/tokenizer\.json$/, ''));
  for (const place of [config, beside]) {
    const dir = place !== null && /\.json$/.test(place) ? dirname(place) : place;
    if (dir !== null && (await stat(join(dir, 'tokenizer.json')).catch(() => null))) return loadTokenizer(dir);
  }
  throw new WeightsFileError(
    input,
    'weight files contain no tokenizer, and there is no tokenizer.json in their directory',
    'give a directory with tokenizer.json, or the tokenizer file of llama2.c (tokenizer.bin): task.tokenizer=DIRECTORY_OR_FILE',
  );
}

async function write(
  dir: string,
  { shapes, read }: Pick<Awaited<ReturnType<typeof modelTensors>>, 'shapes' | 'read'>,
  config: ConfigJson,
  tokenizer: Tokenizer,
  { progress }: ConvertOptions,
): Promise<void> {
  let done = 0;
  const data = async (name: string) => {
    const values = await read(name);
    progress?.(++done, shapes.size);
    return values;
  };
  await writeWeightStream(dir, { shapes, data });
  await tokenizer.save(dir, writeFileAtomically);
  await writeFileAtomically(join(dir, 'config.json'), configText(savedConfig(config)));
}
