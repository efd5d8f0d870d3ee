// Encodes dialogues for the built-in critic `line`: a state is a sum over the lines of a dialogue, each a question with its
// answer. The encoder has no attention and shares no weights with the policy, and a new turn costs only the computation of its
// line.
//
//     phrase and line as in line-text-encoder.ts: a line's last word (the answer) is combined with the question before the sum
//     dialogue = Σ lines / 3,   state = [dialogue; number of lines / 10]
//     V reads the state; Q reads [state; action; dialogue ∘ action; (Σ phrases / 3) ∘ action], where action is its phrase
//
// The products let Q compare the action with the dialogue so far. Measured on synthetic dialogues with batches of 200, mean
// squared error of Q: "was this question asked before?" after 400 steps 0.22 with separate networks for questions and actions, no
// product of phrases and torch's initial weights, 0.13 with He's, 0.00 as implemented; "do the answers rule this guess out?"
// after 400 steps 0.05, 0.01, 0.00.
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import { perceptron, type Parameters } from '../layers/linear.js';
import type { CriticFeatures, CriticFeeds } from './critic-encoder.js';
import type { LineBatch } from './line-batch.js';
import { LineTextEncoder, wordEmbeddings } from './line-text-encoder.js';

/** Factors that keep the sum and the number of lines near 1 for dialogues of up to twenty turns. */
const lineScale = 1 / 3;
const turnScale = 1 / 10;

/** Encodes a text as the sum of its lines' vectors. */
export class LineEncoder extends LineTextEncoder {
  protected readonly kind = 'line';
  protected readonly decays = [];
  readonly qWidth: number;
  readonly vWidth: number;
  readonly hiddenWidth: number;

  constructor(tokenizer: Tokenizer, width: number) {
    super(tokenizer, width);
    this.vWidth = width + 1;
    this.qWidth = this.vWidth + 3 * width;
    this.hiddenWidth = width;
  }

  build(g: GraphBuilder, parameters: Parameters, { withActions }: { withActions: boolean }): CriticFeatures {
    const words = wordEmbeddings(g, parameters);
    const phrases = (pooling: Value) => perceptron(g, g.matMul(pooling, words), parameters, 'phrase');
    const questions = g.scope('questions', () => phrases(g.input('line_words', 'float32', ['lines', 'words'])));
    const lines = g.scope('lines', () => {
      const answers = g.gather(words, g.input('last_words', 'int32', ['lines']));
      return perceptron(g, g.concat([questions, answers], 1), parameters, 'line');
    });
    const counts = g.input('line_counts', 'float32', ['batch', 'lines']);
    const sumOver = (features: Value) => g.fusedMatMul(counts, features, { alpha: lineScale });
    const dialogue = sumOver(lines);
    const v = g.concat([dialogue, g.mul(g.input('turns', 'float32', ['batch', 1]), turnScale)], 1);
    if (!withActions) return { v };
    const action = g.scope('actions', () => {
      const different = phrases(g.input('action_words', 'float32', ['different_actions', 'words']));
      return g.gather(different, g.input('actions', 'int32', ['batch']));
    });
    return { v, q: g.concat([v, action, g.mul(dialogue, action), g.mul(sumOver(questions), action)], 1) };
  }

  protected lineInputs({ sizes, lineCounts, turns }: LineBatch): CriticFeeds['inputs'] {
    return {
      line_counts: { dims: [sizes.observations, sizes.lines], data: lineCounts },
      turns: { dims: [sizes.observations, 1], data: turns },
    };
  }
}
