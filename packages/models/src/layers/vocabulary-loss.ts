// Computes the loss over the vocabulary with its gradients, for one chunk of rows after the other, so that tensors as wide as the
// vocabulary (logits, probabilities, their gradient) are in memory for one chunk at a time.
import { dependencies, gradients, notBefore, type GraphBuilder, type Value } from '@bowyer/graph';
import { chunkIndices } from './row-chunks.js';
import {
  tokenEntropies,
  tokenLogprobs,
  weightedNegativeEntropyGradient,
  weightedNllGradient,
} from './token-logprobs.js';

/** The inputs of the loss Σ weights · (−log p(target)) + Σ entropyWeights · (−H) over scored positions. */
export interface VocabularyLossInput {
  /** [scored, width] the hidden states of the scored positions, which are the input of the final norm and the LM head. */
  rows: Value;
  /** The ids of the target tokens, int64 [scored], or [scored, targets] if positions have several targets. */
  targets: Value;
  /**
   * The weights, in the shape of the targets; or a function that computes them from log p(target), with no gradient through its
   * result. `pick` selects the current chunk's rows of a tensor [scored].
   */
  weights: Value | ((logprobs: Value, pick: (x: Value) => Value) => Value);
  /** Whether entropies are computed too. */
  entropies?: boolean;
  /** [scored] weights of the negative entropies; if omitted, these are not part of the loss. */
  entropyWeights?: Value;
  /** A scalar that gradients are multiplied by (loss scaling). */
  gradientScale?: Value;
  /** Applies the final norm and the head: [n, width] → [n, vocabulary]. `pick` selects the chunk's rows of a tensor [scored]. */
  logits: (rows: Value, pick: (x: Value) => Value) => Value;
  /** The parameters by which gradients are computed; the head need not depend on all of them. */
  parameters: readonly Value[];
  /** The number of chunks, each of at least 256 rows except the last. */
  chunks: number;
}

interface VocabularyLoss {
  /** Σ weights · (−log p(target)) + Σ entropyWeights · (−H), nats. */
  loss: Value;
  /** The gradient of the loss by `rows`. */
  rowGradient: Value;
  /** The gradients of the loss by those parameters that the head uses. */
  parameterGradients: Map<Value, Value>;
  /** log p(target) in nats, in the shape of the targets. */
  logprobs: Value;
  /** [scored] the entropies H in nats, if requested. */
  entropies?: Value;
}

/**
 * Computes loss and gradients, summed over chunks. The gradient by the logits is written explicitly, since softmax − onehot is cheaper
 * than the gradient rules of its operators; automatic differentiation continues from the logits.
 */
export function vocabularyLoss(g: GraphBuilder, input: VocabularyLossInput): VocabularyLoss {
  const parameterGradients = new Map<Value, Value>();
  const losses: Value[] = [];
  const rowGradients: Value[] = [];
  const found = { logprobs: [] as Value[], entropies: [] as Value[] };
  for (const indices of chunkIndices(g, input.rows, input.chunks)) {
    const pick = (x: Value) => (indices ? g.gather(x, indices, 0) : x);
    // The computation of a chunk must wait for all results of the previous chunk, so that the previous logits can be freed.
    const former = [rowGradients, losses, found.entropies].flatMap((values) => values.slice(-1));
    const done = [...parameterGradients.values(), ...former.map((value) => g.reduceSum(value))];
    const ready = done.length > 0 ? notBefore(g, done, pick(input.rows)) : pick(input.rows);
    const rows = g.stopGradient(ready); // the layers below are differentiated once, not for every chunk
    const logits = input.logits(rows, pick);
    const { logprobs, probabilities } = tokenLogprobs(g, logits, pick(input.targets));
    found.logprobs.push(logprobs);
    const weights = typeof input.weights === 'function' ? input.weights(logprobs, pick) : pick(input.weights);
    losses.push(g.neg(g.reduceSum(g.mul(logprobs, weights))));
    const scaled = (x: Value) => (input.gradientScale ? g.mul(x, input.gradientScale) : x);
    let upstream = weightedNllGradient(g, probabilities, pick(input.targets), scaled(weights));
    const entropies = input.entropies || input.entropyWeights ? tokenEntropies(g, logits, probabilities) : undefined;
    if (entropies) found.entropies.push(entropies);
    if (entropies && input.entropyWeights) {
      const own = pick(input.entropyWeights);
      losses.push(g.neg(g.reduceSum(g.mul(entropies, own))));
      upstream = g.add(upstream, weightedNegativeEntropyGradient(g, logits, probabilities, scaled(own)));
    }
    const wanted = dependencies(logits, input.parameters, { start: rows });
    const [rowGradient, ...others] = gradients(g, logits, [rows, ...wanted], { upstream });
    rowGradients.push(rowGradient);
    wanted.forEach((parameter, i) => {
      const sum = parameterGradients.get(parameter);
      parameterGradients.set(parameter, sum ? g.add(sum, others[i]) : others[i]);
    });
  }
  return {
    loss: losses.reduce((a, b) => g.add(a, b)),
    rowGradient: g.concat(rowGradients, 0),
    parameterGradients,
    logprobs: g.concat(found.logprobs, 0),
    entropies: found.entropies.length > 0 ? g.concat(found.entropies, 0) : undefined,
  };
}
