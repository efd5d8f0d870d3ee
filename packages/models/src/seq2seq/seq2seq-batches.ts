// Pads the sources and targets of an encoder-decoder to the matrices that its graphs read, and scores a batch of targets.
import { maximum } from '@bowyer/core';
import type { BoundProgram } from '@bowyer/graph';
import type { GenerationRules } from './generation-rules.js';

export interface SourceAndTarget {
  source: readonly number[];
  target: readonly number[];
}

export interface TargetScores {
  /** [target tokens] the log-probability of each token in nats. */
  logprobs: Float32Array;
  /** The first ten logits (all, if the vocabulary is smaller) at the target's first position. */
  logitsHead: Float32Array;
}

/** Sequences as rows, padded on the right to the longest one. */
interface PaddedTokens {
  rows: number;
  tokens: number;
  /** [rows · tokens] token ids. */
  ids: Int32Array;
  /** 1 for tokens, 0 for padding. */
  mask: Float32Array;
}

export function paddedTokens(sequences: readonly (readonly number[])[], padId: number): PaddedTokens {
  const rows = sequences.length;
  const tokens = maximum(sequences.map(({ length }) => length));
  const ids = new Int32Array(rows * tokens).fill(padId);
  const mask = new Float32Array(rows * tokens);
  sequences.forEach((sequence, row) => {
    ids.set(sequence, row * tokens);
    mask.fill(1, row * tokens, row * tokens + sequence.length);
  });
  return { rows, tokens, ids, mask };
}

/**
 * Computes the log-probabilities of a batch of targets. The decoder reads the start token and the target without its last token.
 * For an empty target, only the logits at its first position are computed.
 */
export async function scoreBatch(
  program: BoundProgram,
  items: readonly SourceAndTarget[],
  { decoderStartId, padId }: GenerationRules,
): Promise<TargetScores[]> {
  const sources = paddedTokens(
    items.map(({ source }) => source),
    padId,
  );
  const inputs = paddedTokens(
    items.map(({ target }) => [decoderStartId, ...target.slice(0, -1)]),
    padId,
  );
  const places = items.flatMap(({ target }, row) =>
    Array.from({ length: Math.max(1, target.length) }, (_, t) => row * inputs.tokens + t),
  );
  const targets = items.flatMap(({ target }) => (target.length > 0 ? target : [padId]));
  const outputs = await program.run({
    inputs: {
      source_ids: { dims: [sources.rows, sources.tokens], data: sources.ids },
      source_mask: { dims: [sources.rows, sources.tokens], data: sources.mask },
      ids: { dims: [inputs.rows, inputs.tokens], data: inputs.ids },
      scored_positions: { dims: [places.length], data: Int32Array.from(places) },
      targets: { dims: [targets.length], data: Int32Array.from(targets) },
    },
  });
  const logprobs = outputs.logprobs.data as Float32Array;
  const heads = outputs.logits_head.data as Float32Array;
  const width = heads.length / places.length;
  let at = 0;
  return items.map(({ target }) => {
    const first = at;
    at += Math.max(1, target.length);
    return {
      logprobs: logprobs.slice(first, first + target.length),
      logitsHead: heads.slice(first * width, (first + 1) * width),
    };
  });
}
