// How likely given continuations are after given prompts: batches of similar length, results in the order of the items.
import { contextLimit } from '../architecture/architecture.js';
import { streamChunks, type Items } from './stream-chunks.js';
import type { LanguageModel } from '../language-model/language-model.js';
import { checkTokenIds, continuationTokens, ItemError, type ContinuationItem } from './prompt-tokens.js';
import type { TokenExample } from '../batching/token-batches.js';

export interface ContinuationScores {
  promptIds: number[];
  continuationIds: number[];
  /** One per continuation token, in nats. */
  logprobs: number[];
  /** The first ten logits (or all of a smaller vocabulary) at the prompt's last position. */
  logitsHead: number[];
}

export interface ScoreContinuationsOptions {
  /** Tokens with padding that a batch may contain. */
  maxTokens: number;
  /** Items among which lengths are sorted into batches; that many are in memory. */
  window?: number;
}

/** Scores continuations. For the checkpoint's own numbers the model must not mask anything (see LanguageModelOptions.masksPadding). */
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

/**
 * Makes an example in which every token from the prompt's last position on is scored; after a prompt alone, any token is, for its
 * logits.
 */
function scoredExample({ promptIds, continuationIds }: Tokens, filler: number): TokenExample {
  const targets = continuationIds.length > 0 ? continuationIds : [filler];
  const all = [...promptIds, ...targets];
  return {
    ids: Int32Array.from(all.slice(0, -1)),
    targets: Int32Array.from(all.slice(1)),
    weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= promptIds.length - 1)),
  };
}

/** Finds a token that the model can generate. */
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
