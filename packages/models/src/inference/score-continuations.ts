// Computes the log-probabilities of given continuations after given prompts. Items of similar length form a batch; results come
// in the order of the items.
import { contextLimit } from '../architecture/architecture.js';
import { streamChunks, type Items } from './stream-chunks.js';
import type { LanguageModel } from '../language-model/language-model.js';
import { checkTokenIds, continuationTokens, ItemError, type ContinuationItem } from './prompt-tokens.js';
import type { TokenExample } from '../batching/token-batches.js';

export interface ContinuationScores {
  promptIds: number[];
  continuationIds: number[];
  /** The log-probability of each token of the continuation, in nats. */
  logprobs: number[];
  /** The logits of the first ten ids of the vocabulary (of all, if it is smaller) at the prompt's last position. */
  logitsHead: number[];
}

export interface ScoreContinuationsOptions {
  /** The most tokens of a batch, padding included. */
  maxTokens: number;
  /** The number of items that are in memory at a time, from which batches of similar length are formed. */
  window?: number;
}

/** Scores continuations, under the checkpoint's exact distribution only if the model masks no tokens (`masksPadding`). */
export async function* scoreContinuations(
  model: LanguageModel,
  items: Items<ContinuationItem>,
  { maxTokens, window = 1024 }: ScoreContinuationsOptions,
): AsyncGenerator<ContinuationScores> {
  for await (const { start, items: some } of streamChunks(items, window)) {
    const tokens = some.map((item, i) => continuationTokens(model.tokenizer, item, start + i));
    tokens.forEach((item, i) => check(model, item, start + i));
    const scores = await model.scores(
      tokens.map((item) => scoredExample(item, unmasked(model))),
      { maxTokens },
    );
    for (const [i, { promptIds, continuationIds }] of tokens.entries()) {
      const first = promptIds.length - 1;
      yield {
        promptIds,
        continuationIds,
        logprobs: [...scores[i].logprobs.subarray(first, first + continuationIds.length)],
        logitsHead: [...scores[i].logitsHead],
      };
    }
  }
}

interface Tokens {
  promptIds: number[];
  continuationIds: number[];
}

/** Scores every token after the prompt; without continuation the token `filler`, so that the logits after the prompt exist. */
function scoredExample({ promptIds, continuationIds }: Tokens, filler: number): TokenExample {
  const targets = continuationIds.length > 0 ? continuationIds : [filler];
  const all = [...promptIds, ...targets];
  return {
    ids: Int32Array.from(all.slice(0, -1)),
    targets: Int32Array.from(all.slice(1)),
    weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= promptIds.length - 1)),
  };
}

function unmasked({ maskedTokenIds }: LanguageModel): number {
  let id = 0;
  while (maskedTokenIds.includes(id)) id++;
  return id;
}

function check({ contextLength, architecture }: LanguageModel, { promptIds, continuationIds }: Tokens, index: number) {
  const length = promptIds.length + Math.max(0, continuationIds.length - 1); // the last token is not read
  if (length > contextLength) throw new ItemError(index, `has ${length} tokens to read; ${contextLimit(architecture)}`);
  checkTokenIds([...promptIds, ...continuationIds], architecture.vocabSize, index);
}
