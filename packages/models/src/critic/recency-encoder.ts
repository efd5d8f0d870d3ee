// A critic's encoder that reads text in order at the price of a sum: several sums over the lines, each with its own decay, so that
// the heads see what stands last, what stood a little before and all that was said. It is a linear recurrent network over lines
// with fixed decays (as the diagonal state-space models of Gu et al. 2022, arXiv:2206.11893, at their start), without attention.
//
//     phrase = MLP(Σ of its words' embeddings / √number of words)       of a line as of an action: one network
//     line   = MLP([phrase; embedding of the last word])
//     s_k    = c_k Σ_i decay_k^(n−1−i) line_i,   c_k = √(1 − decay_k²),  1/√n for the sum without decay
//     V reads [s_1 … s_K; log n]; Q reads that, the action's phrase, and s_k ∘ action
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import { filled, heLinear, perceptron, type Parameters } from '../layers/linear.js';
import { writeWeights, type HostTensors } from '@bowyer/checkpoints';
import type { Tokenizer } from '@bowyer/text';
import type { CriticEncoder, CriticFeatures, CriticFeeds } from './critic-encoder.js';
import { LineBatcher, type LineBatch } from './line-batch.js';

/** The last line alone, the last few, the last dozen; beside them, all. */
const DECAYS = [0, 0.6, 0.9] as const;
const SUMS = DECAYS.length + 1;

export class RecencyEncoder implements CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  readonly hiddenWidth: number;
  readonly #batcher: LineBatcher;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly width: number,
  ) {
    this.vWidth = SUMS * width + 1;
    this.qWidth = this.vWidth + (1 + SUMS) * width;
    this.hiddenWidth = 2 * width;
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

  build(g: GraphBuilder, parameters: Parameters, { withActions }: { withActions: boolean }): CriticFeatures {
    const words = g.gather(parameters['words.weight'], g.input('words', 'int32', ['words']));
    const phrases = (pooling: Value) => perceptron(g, g.matMul(pooling, words), parameters, 'phrase');
    const lines = g.scope('lines', () => {
      const last = g.gather(words, g.input('line_last_words', 'int32', ['lines']));
      const whole = phrases(g.input('line_words', 'float32', ['lines', 'words']));
      return perceptron(g, g.concat([whole, last], 1), parameters, 'line');
    });
    const sums = Array.from({ length: SUMS }, (_, k) =>
      g.matMul(g.input(`line_weights_${k}`, 'float32', ['batch', 'lines']), lines),
    );
    const v = g.concat([...sums, g.input('log_lines', 'float32', ['batch', 1])], 1);
    if (!withActions) return { v };
    const action = g.scope('actions', () => {
      const different = phrases(g.input('action_words', 'float32', ['different_actions', 'words']));
      return g.gather(different, g.input('actions', 'int32', ['batch']));
    });
    return { v, q: g.concat([v, action, ...sums.map((sum) => g.mul(sum, action))], 1) };
  }

  /** Makes one batch, in which common lines are computed once, or several within a bound on its size. */
  feeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds[] {
    return this.#batcher
      .batches(observations, actions, DECAYS)
      .map(({ items, batch }) => feedsOf(items, batch, actions !== null));
  }

  async save(dir: string): Promise<void> {
    const settings = { kind: 'recency', width: this.width };
    await writeFileAtomically(join(dir, 'critic.json'), JSON.stringify(settings, null, 2));
    await this.tokenizer.save(dir);
  }

  async savePretrained(dir: string, parameters: HostTensors): Promise<void> {
    await this.save(dir);
    const own = Object.entries(parameters).filter(([name]) => /^(words|phrase|line)\./.test(name));
    await writeWeights(dir, Object.fromEntries(own));
  }
}

function feedsOf(items: number[], batch: LineBatch, withActions: boolean): CriticFeeds {
  const { sizes, turns } = batch;
  const dims = [sizes.observations, sizes.lines];
  batch.decayedCounts.forEach((counts, k) => scaleRows(counts, sizes.lines, () => Math.sqrt(1 - DECAYS[k] ** 2)));
  scaleRows(batch.lineCounts, sizes.lines, (row) => 1 / Math.sqrt(Math.max(1, turns[row])));
  const weights = [...batch.decayedCounts, batch.lineCounts];
  const inputs = {
    words: { dims: [sizes.words], data: batch.words },
    line_words: { dims: [sizes.lines, sizes.words], data: batch.lineWords },
    line_last_words: { dims: [sizes.lines], data: batch.lineAnswers },
    ...Object.fromEntries(weights.map((data, k) => [`line_weights_${k}`, { dims, data }])),
    log_lines: { dims: [sizes.observations, 1], data: turns.map((count) => Math.log1p(count) / 2) },
    ...(withActions && {
      action_words: { dims: [sizes.actions, sizes.words], data: batch.actionWords },
      actions: { dims: [sizes.observations], data: batch.actions },
    }),
  };
  return { inputs, rows: sizes.observations, items };
}

/** Multiplies each row of a matrix by its factor, in place. */
function scaleRows(matrix: Float32Array, width: number, factorOf: (row: number) => number): void {
  for (let start = 0; start < matrix.length; start += width) {
    const factor = factorOf(start / width);
    for (let i = start; i < start + width; i++) matrix[i] *= factor;
  }
}
