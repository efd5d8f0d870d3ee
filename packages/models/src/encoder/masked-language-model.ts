// An encoder with its masked-LM head: predicts masked tokens.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { GraphBuilder, type BoundProgram, type Device, type Program, type State } from '@bowyer/graph';
import { ConfigFields, fromConfigFile, type HostTensors, readPretrainedConfig } from '@bowyer/checkpoints';
import { parameterInputs } from '../layers/linear.js';
import { maxTokens, type EncoderConfig } from './encoder-config.js';
import { encoderHiddenStates } from './encoder-graph.js';
import { tokenMatrix } from './encoder-tokens.js';
import { loadEncoder, readByShapes, readPresent } from './encoder-weights.js';
import { maskedHeadLogits, maskedHeadShapes, outputShapes, outputTensors } from './masked-lm-head.js';

/** Texts that go through the network at once. */
const BATCH = 32;

export interface MaskedLanguageModelOptions {
  device: Device;
  /** A Hugging Face directory of an encoder with its head (`…ForMaskedLM`). */
  dir: string;
}

export class MaskedLanguageModel {
  private constructor(
    private readonly device: Device,
    readonly config: EncoderConfig,
    private readonly parameters: State,
    private readonly program: Program,
    private readonly bound: BoundProgram,
  ) {}

  /** Throws `PretrainedDirectoryError` or `UnsupportedConfigError` if the directory contains no such model. */
  static async load({ device, dir }: MaskedLanguageModelOptions): Promise<MaskedLanguageModel> {
    const json = await readPretrainedConfig(dir);
    const isTied = fromConfigFile(join(dir, 'config.json'), () =>
      new ConfigFields(String(json.model_type), json, { tie_word_embeddings: true }).flag('tie_word_embeddings'),
    );
    const { config, tensors } = await loadEncoder(dir, { pooler: false, rng: new Rng(0) }); // nothing is drawn
    const head = await readByShapes(dir, maskedHeadShapes(config), config);
    const output = outputTensors(await readPresent(dir, outputShapes(config), config), tensors, config, isTied, dir);
    const all: HostTensors = { ...tensors, ...head, ...output };
    const parameters = await device.createState(all);
    const program = await device.compile(maskedGraph(config, all));
    const names = Object.keys(all);
    const state = Object.fromEntries(names.map((name): [string, [State, string]] => [name, [parameters, name]]));
    const bound = await program.bind({ state, fetch: ['logits'] });
    return new MaskedLanguageModel(device, config, parameters, program, bound);
  }

  /**
   * Logits of every word at every place.
   *
   * @param texts ids with the special tokens that the model was trained with, masked where it shall guess
   * @returns for each text [tokens, vocabulary]
   */
  async logits(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    texts.forEach((ids, i) => this.#check(ids, i));
    const results: Float32Array[] = [];
    for (let begin = 0; begin < texts.length; begin += BATCH)
      for (const logits of await this.#logitsOf(texts.slice(begin, begin + BATCH))) results.push(logits);
    return results;
  }

  /**
   * log p(ids[place] | all other ids) in nats, each place masked alone; their sum is the text's pseudo-log-likelihood.
   * Source: Salazar et al. 2020 (arXiv:1910.14659), equation 1.
   *
   * @returns [places], and the most likely token at each
   */
  async maskedLogprobs(
    ids: readonly number[],
    places: readonly number[],
    maskTokenId: number,
  ): Promise<{ logprobs: Float32Array; mostLikely: Int32Array }> {
    const outside = places.find((place) => !Number.isInteger(place) || place < 0 || place >= ids.length);
    if (outside !== undefined)
      throw new RangeError(
        `MaskedLanguageModel.maskedLogprobs: position ${outside} is outside the ${ids.length} tokens`,
      );
    const logprobs = new Float32Array(places.length);
    const mostLikely = new Int32Array(places.length);
    const { vocabSize } = this.config;
    // One batch at a time, since logits of all places would be large.
    for (let begin = 0; begin < places.length; begin += BATCH) {
      const part = places.slice(begin, begin + BATCH);
      const logits = await this.logits(part.map((place) => ids.with(place, maskTokenId)));
      part.forEach((place, i) => {
        const row = logits[i].subarray(place * vocabSize, (place + 1) * vocabSize);
        const best = row.reduce((most, value, id) => (value > row[most] ? id : most), 0);
        const partition = row.reduce((sum, value) => sum + Math.exp(value - row[best]), 0);
        logprobs[begin + i] = row[ids[place]] - row[best] - Math.log(partition);
        mostLikely[begin + i] = best;
      });
    }
    return { logprobs, mostLikely };
  }

  /** Frees the weights and the program. */
  async release(): Promise<void> {
    await this.bound.release();
    await this.program.release();
    await this.device.release(this.parameters);
  }

  async #logitsOf(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const roundUp = (count: number) => Math.ceil(count / 8) * 8; // few different shapes
    const { rows, tokens, ids, positions, mask } = tokenMatrix(texts, this.config, { rows: texts.length, roundUp });
    const dims = [rows, tokens];
    const { logits } = await this.bound.run({
      inputs: { ids: { dims, data: ids }, positions: { dims, data: positions }, mask: { dims, data: mask } },
    });
    const { vocabSize } = this.config;
    return texts.map(({ length }, row) => {
      const begin = row * tokens * vocabSize;
      return (logits.data as Float32Array).slice(begin, begin + length * vocabSize);
    });
  }

  #check(ids: readonly number[], text: number): void {
    const most = maxTokens(this.config);
    if (ids.length < 1 || ids.length > most)
      throw new RangeError(`MaskedLanguageModel: text ${text} has ${ids.length} tokens, expected 1 to ${most}`);
    const { vocabSize } = this.config;
    const at = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
    if (at >= 0)
      throw new RangeError(
        `MaskedLanguageModel: token ${at} of text ${text} has id ${ids[at]}, the model's vocab_size is ${vocabSize}`,
      );
  }
}

function maskedGraph(config: EncoderConfig, tensors: HostTensors): GraphBuilder {
  const g = new GraphBuilder('masked_lm');
  const parameters = parameterInputs(g, tensors);
  const shape = ['batch', 'tokens'];
  const hidden = encoderHiddenStates(g, parameters, config, {
    ids: g.input('ids', 'int32', shape),
    positions: g.input('positions', 'int32', shape),
    mask: g.input('mask', 'float32', shape),
  });
  g.output('logits', maskedHeadLogits(g, hidden, parameters, config));
  return g;
}
