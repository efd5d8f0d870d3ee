// An encoder as it is, whose texts become vectors: the mean of its last hidden states, of length 1.
// Source of the mean: Reimers and Gurevych 2019 (arXiv:1908.10084), their best pooling. An encoder trained for it is best;
// any other works less well.
import { Rng } from '@bowyer/core';
import { GraphBuilder, type BoundProgram, type Device, type Program, type State } from '@bowyer/graph';
import { parameterInputs } from '../layers/linear.js';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import { maxTokens, type EncoderConfig } from './encoder-config.js';
import { encoderHiddenStates, textFeature } from './encoder-graph.js';
import { tokenMatrix, truncateLeft } from './encoder-tokens.js';
import { loadEncoder } from './encoder-weights.js';
import { unitLength } from './pooling.js';

/** Texts that go through the network at once. */
const BATCH = 32;

export class TextEncoder {
  private constructor(
    private readonly device: Device,
    private readonly config: EncoderConfig,
    private readonly tokenizer: Tokenizer,
    private readonly parameters: State,
    private readonly program: Program,
    private readonly bound: BoundProgram,
  ) {}

  /** Throws `PretrainedDirectoryError` or `UnsupportedConfigError` if the directory contains no encoder. */
  static async load(device: Device, dir: string): Promise<TextEncoder> {
    const { config, tensors } = await loadEncoder(dir, { pooler: false, rng: new Rng(0) }); // nothing is drawn
    const tokenizer = await loadTokenizer(dir);
    const parameters = await device.createState(tensors);
    const g = new GraphBuilder('text_encoder');
    const shape = ['batch', 'tokens'];
    const inputs = {
      ids: g.input('ids', 'int32', shape),
      positions: g.input('positions', 'int32', shape),
      mask: g.input('mask', 'float32', shape),
    };
    const own = parameterInputs(g, tensors);
    const hidden = encoderHiddenStates(g, own, config, inputs);
    g.output('vectors', textFeature(g, hidden, inputs.mask, own, config, 'mean'));
    const program = await device.compile(g);
    const names = Object.keys(tensors);
    const state = Object.fromEntries(names.map((name): [string, [State, string]] => [name, [parameters, name]]));
    const bound = await program.bind({ state, fetch: ['vectors'] });
    return new TextEncoder(device, config, tokenizer, parameters, program, bound);
  }

  /** Computes the vectors of texts; only the end of a text that is too long counts. @returns for each text [hidden], of length 1 */
  async vectors(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let begin = 0; begin < texts.length; begin += BATCH)
      for (const vector of await this.#vectorsOf(texts.slice(begin, begin + BATCH))) vectors.push(vector);
    return vectors;
  }

  /** Frees the weights and the program. */
  async release(): Promise<void> {
    await this.bound.release();
    await this.program.release();
    await this.device.release(this.parameters);
  }

  async #vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
    const encoded = texts.map((text) => truncateLeft(this.tokenizer, text, maxTokens(this.config)));
    const roundUp = (count: number) => Math.ceil(count / 8) * 8; // few different shapes
    const { rows, tokens, ids, positions, mask } = tokenMatrix(encoded, this.config, { rows: texts.length, roundUp });
    const dims = [rows, tokens];
    const { vectors } = await this.bound.run({
      inputs: { ids: { dims, data: ids }, positions: { dims, data: positions }, mask: { dims, data: mask } },
    });
    const size = this.config.hiddenSize;
    return texts.map((_, row) => unitLength((vectors.data as Float32Array).slice(row * size, (row + 1) * size)));
  }
}
