// Encodes the lines of a text for the built-in critics (`line` and `recency`). The words of a line are pooled into a phrase
// vector; the vector of the line is computed from the phrase and the line's last word, which is the answer to a question.
//
//     phrase = MLP(Σ embeddings of its words / √number of words)       one network for lines and for actions
//     line   = MLP([phrase; embedding of the line's last word])
import { join } from 'node:path';
import { writeWeights, type HostTensors } from '@bowyer/checkpoints';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import { filled, heLinear, type Parameters } from '../layers/linear.js';
import type { CriticEncoder, CriticFeatures, CriticFeeds } from './critic-encoder.js';
import { LineBatcher, type LineBatch } from './line-batch.js';

/** Computes the vectors of lines and actions; a subclass computes the features of a text from the vectors of its lines. */
export abstract class LineTextEncoder implements CriticEncoder {
  protected abstract readonly kind: 'line' | 'recency';
  /** The decays for which `LineBatch.decayedCounts` has a matrix each. */
  protected abstract readonly decays: readonly number[];
  abstract readonly qWidth: number;
  abstract readonly vWidth: number;
  abstract readonly hiddenWidth: number;
  readonly #batcher: LineBatcher;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly width: number,
  ) {
    this.#batcher = new LineBatcher(tokenizer);
  }

  initialParameters(rng: Rng): HostTensors {
    const { width } = this;
    return {
      'words.weight': filled([this.tokenizer.vocabSize, width], () => rng.normal()),
      ...heLinear(rng, 'phrase.0', width, width),
      ...heLinear(rng, 'phrase.2', width, width),
      ...heLinear(rng, 'line.0', 2 * width, width),
      ...heLinear(rng, 'line.2', width, width),
    };
  }

  abstract build(g: GraphBuilder, parameters: Parameters, options: { withActions: boolean }): CriticFeatures;

  /** Makes one batch, or several within a bound on their size; each line of a batch is computed once. */
  feeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds[] {
    return this.#batcher.batches(observations, actions, this.decays).map(({ items, batch }) => {
      const { sizes } = batch;
      const inputs = {
        words: { dims: [sizes.words], data: batch.words },
        line_words: { dims: [sizes.lines, sizes.words], data: batch.lineWords },
        last_words: { dims: [sizes.lines], data: batch.lineAnswers },
        ...this.lineInputs(batch),
        ...(actions !== null && {
          action_words: { dims: [sizes.actions, sizes.words], data: batch.actionWords },
          actions: { dims: [sizes.observations], data: batch.actions },
        }),
      };
      return { inputs, rows: sizes.observations, items };
    });
  }

  /** Returns the graph inputs that contain the weights of the lines in the sums over a text's lines. */
  protected abstract lineInputs(batch: LineBatch): CriticFeeds['inputs'];

  async save(dir: string): Promise<void> {
    const settings = { kind: this.kind, width: this.width };
    await writeFileAtomically(join(dir, 'critic.json'), JSON.stringify(settings, null, 2));
    await this.tokenizer.save(dir);
  }

  async savePretrained(dir: string, parameters: HostTensors): Promise<void> {
    await this.save(dir);
    const own = Object.entries(parameters).filter(([name]) => /^(words|phrase|line)\./.test(name));
    await writeWeights(dir, Object.fromEntries(own));
  }
}

/** Looks up the embeddings [W, width] of the W different words of a batch. */
export const wordEmbeddings = (g: GraphBuilder, parameters: Parameters): Value =>
  g.gather(parameters['words.weight'], g.input('words', 'int32', ['words']));
