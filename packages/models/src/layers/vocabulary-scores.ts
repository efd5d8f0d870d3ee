// Computes log p of target tokens from hidden states, for one chunk of rows after the other, like `vocabularyLoss` but without
// gradients.
import { notBefore, type GraphBuilder, type Value } from '@bowyer/graph';
import { chunkIndices } from './row-chunks.js';
import { tokenEntropies, tokenLogprobs } from './token-logprobs.js';
import type { VocabularyLossInput } from './vocabulary-loss.js';

interface VocabularyScores {
  /** [scored] log p(target) in nats. */
  logprobs: Value;
  /** [scored] the entropies in nats, if requested. */
  entropies?: Value;
  /** [scored, head] the first logits of each row, if requested. */
  logitsHead?: Value;
}

/** @param input.head the number of logits of each row that are returned; 0: none */
export function vocabularyScores(
  g: GraphBuilder,
  input: Pick<VocabularyLossInput, 'rows' | 'targets' | 'entropies' | 'logits' | 'chunks'> & { head: number },
): VocabularyScores {
  const found = { logprobs: [] as Value[], entropies: [] as Value[], heads: [] as Value[] };
  // The computation of a chunk must wait for all results of the previous chunk, so that the previous logits can be freed.
  let done: Value[] = [];
  for (const indices of chunkIndices(g, input.rows, input.chunks)) {
    const pick = (x: Value) => (indices ? g.gather(x, indices, 0) : x);
    const rows = done.length > 0 ? notBefore(g, done, pick(input.rows)) : pick(input.rows);
    const logits = input.logits(rows, pick);
    const { logprobs, probabilities } = tokenLogprobs(g, logits, pick(input.targets));
    found.logprobs.push(logprobs);
    done = [g.reduceSum(logprobs)];
    if (input.entropies) {
      const entropies = tokenEntropies(g, logits, probabilities);
      found.entropies.push(entropies);
      done.push(g.reduceSum(entropies));
    }
    if (input.head > 0) {
      const first = g.slice(logits, 1, 0, input.head);
      found.heads.push(first);
      done.push(g.reduceSum(first));
    }
  }
  const joined = (parts: Value[]) =>
    parts.length === 0 ? undefined : parts.length === 1 ? parts[0] : g.concat(parts, 0);
  return {
    logprobs: joined(found.logprobs)!,
    entropies: joined(found.entropies),
    logitsHead: joined(found.heads),
  };
}
