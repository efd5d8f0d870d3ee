// Turns texts into vectors by an encoder: a sentence-transformers folder with its own pooling, or a plain encoder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PretrainedDirectoryError, readPretrainedConfig } from '@bowyer/checkpoints';
import { Rng } from '@bowyer/core';
import { GraphBuilder, type BoundProgram, type Device, type Program, type State } from '@bowyer/graph';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import { parameterInputs } from '../layers/linear.js';
import { encoderTypes, maxTokens, type EncoderConfig } from './encoder-config.js';
import { encoderHiddenStates } from './encoder-graph.js';
import { tokenMatrix, truncateLeft } from './encoder-tokens.js';
import { loadEncoder } from './encoder-weights.js';
import { pooled, readPooling, type Pooling } from './pooling.js';

/** The number of texts that go through the network at once. */
const BATCH = 32;

/** Returns whether a folder contains a text encoder and not a generating model. */
export async function isEncoderDirectory(dir: string): Promise<boolean> {
  if (!existsSync(join(dir, 'config.json'))) return false;
  const { model_type: type, is_decoder: isDecoder } = await readPretrainedConfig(dir);
  return encoderTypes.includes(String(type)) && isDecoder !== true;
}

/** Computes the vectors of texts. */
export class SentenceEncoder {
  private constructor(
    private readonly device: Device,
    private readonly config: EncoderConfig,
    readonly tokenizer: Tokenizer,
    private readonly pooling: Pooling,
    private readonly parameters: State,
    private readonly program: Program,
    private readonly bound: BoundProgram,
  ) {}

  /**
   * Loads an encoder with the pooling that its files define.
   *
   * @throws `PretrainedDirectoryError` or `UnsupportedConfigError` if the directory contains no supported encoder
   */
  static async load(device: Device, dir: string): Promise<SentenceEncoder> {
    return SentenceEncoder.#open(device, dir, await readPooling(dir));
  }

  /**
   * Loads an encoder with mean pooling and vectors of length 1, whatever its files define; the mean was the best pooling in Reimers
   * and Gurevych 2019 (arXiv:1908.10084). Encoders that were trained for sentence similarity work best.
   */
  static loadWithMean(device: Device, dir: string): Promise<SentenceEncoder> {
    return SentenceEncoder.#open(device, dir, {
      modes: ['mean'],
      normalizes: true,
      maxTokens: null,
      lowerCases: false,
    });
  }

  static async #open(device: Device, dir: string, pooling: Pooling): Promise<SentenceEncoder> {
    const { config, tensors } = await loadEncoder(dir, { pooler: false, rng: new Rng(0) }); // the random numbers are not used
    const tokenizer = await loadTokenizer(dir);
    if (pooling.lowerCases && !ignoresCase(tokenizer))
      throw new PretrainedDirectoryError(
        dir,
        'its sentence_bert_config.json has do_lower_case: true, which is not served with a tokenizer that keeps capital letters',
      );
    const parameters = await device.createState(tensors);
    const g = new GraphBuilder('sentence_encoder');
    const shape = ['batch', 'tokens'];
    const inputs = {
      ids: g.input('ids', 'int32', shape),
      positions: g.input('positions', 'int32', shape),
      mask: g.input('mask', 'float32', shape),
    };
    g.output('hidden', encoderHiddenStates(g, parameterInputs(g, tensors), config, inputs));
    const program = await device.compile(g);
    const names = Object.keys(tensors);
    const state = Object.fromEntries(names.map((name): [string, [State, string]] => [name, [parameters, name]]));
    const bound = await program.bind({ state, fetch: ['hidden'] });
    return new SentenceEncoder(device, config, tokenizer, pooling, parameters, program, bound);
  }

  /** Returns the number of elements of a vector. */
  get dimensions(): number {
    return this.pooling.modes.length * this.config.hiddenSize;
  }

  /** Returns the most tokens of a text, special tokens included. */
  get contextLength(): number {
    return Math.min(maxTokens(this.config), this.pooling.maxTokens ?? Infinity);
  }

  get vocabSize(): number {
    return this.config.vocabSize;
  }

  /** Computes a vector [dimensions] for each of the texts, which are ids with special tokens, at most `contextLength` each. */
  async vectors(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let begin = 0; begin < texts.length; begin += BATCH)
      for (const vector of await this.#vectorsOf(texts.slice(begin, begin + BATCH))) vectors.push(vector);
    return vectors;
  }

  /** Computes the vectors of texts; a text that is too long is cut off at its beginning. */
  vectorsOfTexts(texts: readonly string[]): Promise<Float32Array[]> {
    return this.vectors(texts.map((text) => truncateLeft(this.tokenizer, text, this.contextLength)));
  }

  async release(): Promise<void> {
    await this.bound.release();
    await this.program.release();
    await this.device.release(this.parameters);
  }

  async #vectorsOf(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const roundUp = (count: number) => Math.ceil(count / 8) * 8; // keeps the number of different shapes small
    const { rows, tokens, ids, positions, mask } = tokenMatrix(texts, this.config, { rows: texts.length, roundUp });
    const dims = [rows, tokens];
    const { hidden } = await this.bound.run({
      inputs: { ids: { dims, data: ids }, positions: { dims, data: positions }, mask: { dims, data: mask } },
    });
    const size = this.config.hiddenSize;
    const states = hidden.data as Float32Array;
    return texts.map((text, row) => {
      const from = row * tokens * size;
      return pooled(states.subarray(from, from + text.length * size), size, this.pooling);
    });
  }
}

function ignoresCase(tokenizer: Tokenizer): boolean {
  const text = 'The Quick Brown Fox';
  return String(tokenizer.encode(text)) === String(tokenizer.encode(text.toLowerCase()));
}
