// The built-in critic's encoder: the state is a sum over the lines of the dialogue, each line a question with its answer.
// Without attention, without weights shared with the policy, and cheap: a history costs its new line.
//
//     line   = MLP([mean of its words' embeddings; embedding of its last word])      the answer stays bound to its question
//     state  = [Σ lines / 3; number of lines / 10]
//     action = MLP(mean of its words' embeddings)
//     Q reads [state; action; (Σ lines / 3) ∘ action], V reads the state
//
// The product lets Q compare the action with what was said; without it "ask something new" is not learnt.
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import { filled, initialLinear, linear, type Parameters } from '../linear.js';
import type { HostTensors } from '../safetensors.js';
import type { Tokenizer } from '../tokenizer.js';
import type { CriticEncoder, CriticFeatures, CriticFeeds } from './critic-encoder.js';
import { LineBatcher } from './line-batch.js';

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
    this.qWidth = this.vWidth + 2 * width;
    this.hiddenWidth = width;
    this.#batcher = new LineBatcher(tokenizer);
  }

  initialParameters(rng: Rng): HostTensors {
    const { width } = this;
    return {
      'words.weight': filled([this.tokenizer.vocabSize, width], () => rng.normal()),
      ...initialLinear(rng, 'line.0', 2 * width, width),
      ...initialLinear(rng, 'line.2', width, width),
      ...initialLinear(rng, 'action.0', width, width),
      ...initialLinear(rng, 'action.2', width, width),
    };
  }

  build(g: GraphBuilder, parameters: Parameters, { withActions }: { withActions: boolean }): CriticFeatures {
    const words = g.gather(parameters['words.weight'], g.input('words', 'int32', ['words']));
    const lines = g.scope('lines', () => {
      const questions = g.matMul(g.input('line_words', 'float32', ['lines', 'words']), words);
      const answers = g.gather(words, g.input('line_answers', 'int32', ['lines']));
      return perceptron(g, g.concat([questions, answers], 1), parameters, 'line');
    });
    const counts = g.input('line_counts', 'float32', ['batch', 'lines']);
    const dialogue = g.fusedMatMul(counts, lines, { alpha: lineScale });
    const v = g.concat([dialogue, g.mul(g.input('turns', 'float32', ['batch', 1]), turnScale)], 1);
    if (!withActions) return { v };
    const action = g.scope('actions', () => {
      const shares = g.input('action_words', 'float32', ['different_actions', 'words']);
      const different = perceptron(g, g.matMul(shares, words), parameters, 'action');
      return g.gather(different, g.input('actions', 'int32', ['batch']));
    });
    return { v, q: g.concat([v, action, g.mul(dialogue, action)], 1) };
  }

  feeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds {
    const batch = this.#batcher.batch(observations, actions);
    const { sizes } = batch;
    return {
      rows: sizes.observations,
      inputs: {
        words: { dims: [sizes.words], data: batch.words },
        line_words: { dims: [sizes.lines, sizes.words], data: batch.lineWords },
        line_answers: { dims: [sizes.lines], data: batch.lineAnswers },
        line_counts: { dims: [sizes.observations, sizes.lines], data: batch.lineCounts },
        turns: { dims: [sizes.observations, 1], data: batch.turns },
        ...(actions && {
          action_words: { dims: [sizes.actions, sizes.words], data: batch.actionWords },
          actions: { dims: [sizes.observations], data: batch.actions },
        }),
      },
    };
  }

  async save(dir: string): Promise<void> {
    await writeFileAtomically(join(dir, 'critic.json'), JSON.stringify({ kind: 'line', width: this.width }, null, 2));
    await this.tokenizer.save(dir);
  }
}

/** Linear, ReLU, linear. */
function perceptron(g: GraphBuilder, x: Value, parameters: Parameters, name: string): Value {
  return linear(g, g.relu(linear(g, x, parameters, `${name}.0`)), parameters, `${name}.2`);
}
