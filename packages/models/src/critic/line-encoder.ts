// The built-in critic's encoder: the state is a sum over the lines of the dialogue, each line a question with its answer.
// Without attention, without weights shared with the policy, and cheap: a history costs its new line.
//
//     phrase   = MLP(Σ of its words' embeddings / √number of words)        of a question as of an action: one network
//     line     = MLP([phrase of the question; embedding of the last word])  the answer stays bound to its question
//     dialogue = Σ lines / 3,   state = [dialogue; number of lines / 10]
//     V reads the state; Q reads [state; action; dialogue ∘ action; (Σ phrases / 3) ∘ action], action being its phrase
//
// The products let Q compare the action with the dialogue so far. Tried on made-up dialogues, batches of 200 (mean squared error
// of Q): "was this question asked before?" after 400 steps 0.22 with networks of their own for questions and actions, no
// product of phrases and torch's initial weights, 0.13 with He's, 0.00 as implemented; "do the answers rule this guess out?"
// after 400 steps 0.05, 0.01, 0.00.
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import { filled, heLinear, perceptron, type Parameters } from '../layers/linear.js';
import { writeWeights, type HostTensors } from '@bowyer/checkpoints';
import type { Tokenizer } from '@bowyer/text';
import type { CriticEncoder, CriticFeatures, CriticFeeds } from './critic-encoder.js';
import { LineBatcher, type LineBatch } from './line-batch.js';

/** Keep both parts of the state of order 1 over twenty turns. */
const lineScale = 1 / 3;
const turnScale = 1 / 10;

export class LineEncoder implements CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  readonly hiddenWidth: number;
  readonly #batcher: LineBatcher;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly width: number,
  ) {
    this.vWidth = width + 1;
    this.qWidth = this.vWidth + 3 * width;
    this.hiddenWidth = width;
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
    const questions = g.scope('questions', () => phrases(g.input('line_words', 'float32', ['lines', 'words'])));
    const lines = g.scope('lines', () => {
      const answers = g.gather(words, g.input('line_answers', 'int32', ['lines']));
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

  /** Makes one batch, in which common lines are computed once, or several within a bound on its size. */
  feeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds[] {
    return this.#batcher
      .batches(observations, actions)
      .map(({ items, batch }) => feedsOf(items, batch, actions !== null));
  }

  async save(dir: string): Promise<void> {
    await writeFileAtomically(join(dir, 'critic.json'), JSON.stringify({ kind: 'line', width: this.width }, null, 2));
    await this.tokenizer.save(dir);
  }

  async savePretrained(dir: string, parameters: HostTensors): Promise<void> {
    await this.save(dir);
    const own = Object.entries(parameters).filter(([name]) => /^(words|phrase|line)\./.test(name));
    await writeWeights(dir, Object.fromEntries(own));
  }
}

function feedsOf(items: number[], batch: LineBatch, withActions: boolean): CriticFeeds {
  const { sizes } = batch;
  const inputs = {
    words: { dims: [sizes.words], data: batch.words },
    line_words: { dims: [sizes.lines, sizes.words], data: batch.lineWords },
    line_answers: { dims: [sizes.lines], data: batch.lineAnswers },
    line_counts: { dims: [sizes.observations, sizes.lines], data: batch.lineCounts },
    turns: { dims: [sizes.observations, 1], data: batch.turns },
    ...(withActions && {
      action_words: { dims: [sizes.actions, sizes.words], data: batch.actionWords },
      actions: { dims: [sizes.observations], data: batch.actions },
    }),
  };
  return { inputs, rows: sizes.observations, items };
}
