// Encodes texts for the critic as ArCHer's does: BERT or one of its variants reads the observation s and, separately but with the
// same weights, the action a, and computes a vector h of each. The Q heads read [h(s); h(a)], the V heads h(s); the heads' hidden
// layers are as wide as h.
// Source: ArCHer, Zhou et al. 2024 (arXiv:2402.19446).
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { GraphBuilder } from '@bowyer/graph';
import { maxTokens, type EncoderConfig } from '../encoder/encoder-config.js';
import { textFeatures, type TextFeature } from '../encoder/encoder-graph.js';
import { truncateLeft } from '../encoder/encoder-tokens.js';
import { initializeEncoder, loadEncoder, saveEncoder } from '../encoder/encoder-weights.js';
import { packTexts, TEXT_CLASSES } from '../encoder/pack-texts.js';
import { packedLayout } from '../encoder/token-layout.js';
import type { Parameters } from '../layers/linear.js';
import type { HostTensors } from '@bowyer/checkpoints';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import { checkVocabulary } from '../architecture/vocabulary-check.js';
import type { CriticEncoder, CriticFeatures, CriticFeeds } from './critic-encoder.js';

interface TransformerEncoderOptions {
  config: EncoderConfig;
  tokenizer: Tokenizer;
  /** Which output of the transformer represents a text; ArCHer's critic uses the pooler. */
  stateFeature: TextFeature;
  /** The most tokens of an observation or action, special tokens included; a longer text loses its beginning. */
  maxLength: number;
  /** The most tokens, padding included, of texts that go through the transformer in one batch; the number bounds memory. */
  batchTokens: number;
  /** The transformer's initial weights by their Hugging Face names; drawn at random if omitted. */
  weights?: HostTensors;
}

/** The prefix of the names of the transformer's weights among the critic's parameters; the Hugging Face name follows it. */
const prefix = 'encoder/';

/** Encodes observations and actions with a transformer such as BERT. */
export class TransformerEncoder implements CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  readonly hiddenWidth: number;
  #weights: HostTensors | undefined;

  constructor(private readonly options: TransformerEncoderOptions) {
    const { config, maxLength, weights } = options;
    if (maxLength > maxTokens(config)) {
      throw new RangeError(
        `TransformerEncoder: maxLength is ${maxLength}, the encoder has positions for ${maxTokens(config)} tokens`,
      );
    }
    this.vWidth = config.hiddenSize;
    this.qWidth = 2 * config.hiddenSize;
    this.hiddenWidth = config.hiddenSize;
    this.#weights = weights;
  }

  /**
   * Loads the transformer and the tokenizer from a directory in Hugging Face's layout.
   *
   * @param rng draws the weights of the pooler where the checkpoint has none
   */
  static async load(
    dir: string,
    { rng, ...options }: Pick<TransformerEncoderOptions, 'stateFeature' | 'maxLength' | 'batchTokens'> & { rng: Rng },
  ): Promise<TransformerEncoder> {
    const { config, tensors } = await loadEncoder(dir, { pooler: options.stateFeature === 'pooler', rng });
    const tokenizer = await loadTokenizer(dir);
    checkVocabulary(tokenizer.vocabSize, config.vocabSize, dir);
    return new TransformerEncoder({ ...options, config, tokenizer, weights: tensors });
  }

  initialParameters(rng: Rng): HostTensors {
    const { config, stateFeature } = this.options;
    const weights = this.#weights ?? initializeEncoder(rng, config, { pooler: stateFeature === 'pooler' });
    this.#weights = undefined; // frees the host's copy, since the device has one
    return Object.fromEntries(Object.entries(weights).map(([name, tensor]) => [prefix + name, tensor]));
  }

  build(g: GraphBuilder, parameters: Parameters, { withActions }: { withActions: boolean }): CriticFeatures {
    const { config, stateFeature } = this.options;
    const own = Object.fromEntries(
      Object.entries(parameters).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    );
    const features = textFeatures(g, own, config, packedLayout(g, TEXT_CLASSES), stateFeature);
    const of = (texts: string) => g.gather(features, g.input(texts, 'int32', ['batch']));
    const v = of('observation_texts');
    return withActions ? { v, q: g.concat([v, of('action_texts')], 1) } : { v };
  }

  /** Makes batches of at most `batchTokens` tokens each, longest texts first; each different text is computed once. */
  feeds(
    observations: readonly string[],
    actions: readonly string[] | null,
    sized: (size: number) => number,
  ): CriticFeeds[] {
    const { tokenizer, maxLength, batchTokens, config } = this.options;
    const encode = (text: string) => truncateLeft(tokenizer, text, maxLength);
    const texts = { observation: observations.map(encode), ...(actions && { action: actions.map(encode) }) };
    const columns = Object.entries(texts);
    const lengths = observations.map((_, i) => columns.reduce((sum, [, column]) => sum + column[i].length, 0));
    return withinBudget(lengths, batchTokens).map((items) => {
      const different = new Map<string, number[]>();
      for (const [, column] of columns) for (const i of items) different.set(String(column[i]), column[i]);
      const { inputs, rows } = packTexts([...different.values()], config, sized);
      const count = sized(items.length);
      const rowOf = new Map([...different.keys()].map((key, text) => [key, rows[text]]));
      const picks = columns.map(([name, column]) => [
        `${name}_texts`,
        {
          dims: [count],
          data: Int32Array.from({ length: count }, (_, n) => rowOf.get(String(column[items[n] ?? items[0]]))!),
        },
      ]);
      return { items, rows: count, inputs: { ...inputs, ...Object.fromEntries(picks) } };
    });
  }

  async save(dir: string): Promise<void> {
    const { config, tokenizer, stateFeature, maxLength } = this.options;
    await writeFileAtomically(
      join(dir, 'critic.json'),
      JSON.stringify({ kind: 'transformer', config, stateFeature, maxLength }, null, 2),
    );
    await tokenizer.save(dir);
  }

  /** Writes the transformer in Hugging Face's layout, for use in Python or as initial weights of another run. */
  async savePretrained(dir: string, parameters: HostTensors): Promise<void> {
    const own = Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
    await saveEncoder(
      dir,
      this.options.config,
      Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor])),
    );
    await this.options.tokenizer.save(dir);
  }
}

/** Divides items into lists of at most `budget` tokens, the longest first; a longer item gets a list of its own. */
function withinBudget(lengths: readonly number[], budget: number): number[][] {
  const lists: number[][] = [];
  let left = 0;
  for (const i of [...lengths.keys()].sort((a, b) => lengths[b] - lengths[a] || a - b)) {
    if (lists.length === 0 || lengths[i] > left) {
      lists.push([]);
      left = budget;
    }
    lists.at(-1)!.push(i);
    left -= lengths[i];
  }
  return lists;
}
