// Encodes dialogues for the built-in critic `recency` by several sums over their lines, each with its own decay, so that the
// heads see the last line, the last few lines, and the whole dialogue, in order. The encoder is a linear recurrent network over
// lines with fixed decays (like the diagonal state-space models of Gu et al. 2022, arXiv:2206.11893, at initialization), without
// attention.
//
//     phrase and line as in line-text-encoder.ts
//     s_k    = c_k Σ_i decay_k^(n−1−i) line_i,   c_k = √(1 − decay_k²),  1/√n for the sum without decay
//     V reads [s_1 … s_K; ½ log(1 + n)]; Q reads that, the action's phrase, and s_k ∘ action
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import { perceptron, type Parameters } from '../layers/linear.js';
import type { CriticFeatures, CriticFeeds } from './critic-encoder.js';
import type { LineBatch } from './line-batch.js';
import { LineTextEncoder, wordEmbeddings } from './line-text-encoder.js';

/** The decays of three sums: the last line alone, the last few, about the last dozen; a fourth sum weights all lines equally. */
const DECAYS = [0, 0.6, 0.9] as const;
const SUMS = DECAYS.length + 1;

/** Encodes a text as several sums over its lines' vectors, with different decays. */
export class RecencyEncoder extends LineTextEncoder {
  protected readonly kind = 'recency';
  protected readonly decays = DECAYS;
  readonly qWidth: number;
  readonly vWidth: number;
  readonly hiddenWidth: number;

  constructor(tokenizer: Tokenizer, width: number) {
    super(tokenizer, width);
    this.vWidth = SUMS * width + 1;
    this.qWidth = this.vWidth + (1 + SUMS) * width;
    this.hiddenWidth = 2 * width;
  }

  build(g: GraphBuilder, parameters: Parameters, { withActions }: { withActions: boolean }): CriticFeatures {
    const words = wordEmbeddings(g, parameters);
    const phrases = (pooling: Value) => perceptron(g, g.matMul(pooling, words), parameters, 'phrase');
    const lines = g.scope('lines', () => {
      const last = g.gather(words, g.input('last_words', 'int32', ['lines']));
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

  protected lineInputs({ sizes, turns, decayedCounts, lineCounts }: LineBatch): CriticFeeds['inputs'] {
    const dims = [sizes.observations, sizes.lines];
    decayedCounts.forEach((counts, k) => scaleRows(counts, sizes.lines, () => Math.sqrt(1 - DECAYS[k] ** 2)));
    scaleRows(lineCounts, sizes.lines, (row) => 1 / Math.sqrt(Math.max(1, turns[row])));
    const weights = [...decayedCounts, lineCounts];
    return {
      ...Object.fromEntries(weights.map((data, k) => [`line_weights_${k}`, { dims, data }])),
      log_lines: { dims: [sizes.observations, 1], data: turns.map((count) => Math.log1p(count) / 2) },
    };
  }
}

/** Multiplies each row of a matrix by `factorOf(row)`, in place. */
function scaleRows(matrix: Float32Array, width: number, factorOf: (row: number) => number): void {
  for (let start = 0; start < matrix.length; start += width) {
    const factor = factorOf(start / width);
    for (let i = start; i < start + width; i++) matrix[i] *= factor;
  }
}
