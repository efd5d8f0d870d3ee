// Generates and scores texts with an encoder-decoder, as generateTexts and scoreContinuations do with a decoder: the prompt is
// the source, the continuation the target. Items of similar length form a batch; results come in the order of the items.
import { Rng } from '@bowyer/core';
import type { GeneratedText, GenerateTextsOptions } from './generate-texts.js';
import { streamChunks, type Items } from './stream-chunks.js';
import { lengthBatches } from '../batching/length-batches.js';
import { checkTokenIds, ItemError, promptTokens, type ContinuationItem, type PromptItem } from './prompt-tokens.js';
import type { ContinuationScores, ScoreContinuationsOptions } from './score-continuations.js';
import type { TargetScores } from '../seq2seq/seq2seq-batches.js';
import type { Seq2SeqModel } from '../seq2seq/seq2seq-model.js';

/** A generated target; `text` is null if the model has no tokenizer. */
type GeneratedTarget = Omit<GeneratedText, 'text'> & { text: string | null };

/**
 * Generates a target for each source. A source with more tokens than the model has positions is an error; generation of a target
 * ends at the model's last position at the latest.
 */
export async function* generateTargets(
  model: Seq2SeqModel,
  items: Items<PromptItem>,
  { batchSize, seed, window = 8 * batchSize, ...sampling }: GenerateTextsOptions,
): AsyncGenerator<GeneratedTarget> {
  const options = {
    ...sampling,
    // The decoder reads its start token and all generated tokens but the last, so that as many as it has positions fit.
    maxNewTokens: Math.min(sampling.maxNewTokens, model.architecture.targetLimit),
    terminatorIds: sampling.terminatorIds ?? model.rules.eosIds,
  };
  for await (const { start, items: some } of streamChunks(items, window)) {
    const sources = some.map((item, i) => {
      const ids = sourceTokens(model, item, start + i);
      checkLengths(model, { source: ids.length, target: 0 }, start + i);
      return { ids, rng: Rng.forPurpose(seed, `item ${start + i}`) };
    });
    const results: GeneratedTarget[] = [];
    const order = byLength(sources.map(({ ids }) => ids.length));
    for (let from = 0; from < order.length; from += batchSize) {
      const chosen = order.slice(from, from + batchSize);
      const targets = await model.generate(
        chosen.map((i) => sources[i]),
        options,
      );
      targets.forEach(({ tokens, logprobs, terminated }, row) => {
        results[chosen[row]] = {
          promptIds: sources[chosen[row]].ids,
          text: model.tokenizer?.decode(terminated ? tokens.slice(0, -1) : tokens) ?? null,
          ids: tokens,
          logprobs,
          finishReason: terminated ? 'stop' : 'length',
        };
      });
    }
    yield* results;
  }
}

/** Scores targets; one that is given as text gets the tokenizer's end token, as in training. */
export async function* scoreTargets(
  model: Seq2SeqModel,
  items: Items<ContinuationItem>,
  { maxTokens, window = 1024 }: ScoreContinuationsOptions,
): AsyncGenerator<ContinuationScores> {
  for await (const { start, items: some } of streamChunks(items, window)) {
    const pairs = some.map((item, i) => {
      const pair = { source: sourceTokens(model, item, start + i), target: targetTokens(model, item, start + i) };
      checkLengths(model, { source: pair.source.length, target: pair.target.length }, start + i);
      return pair;
    });
    const scores: TargetScores[] = [];
    const lengths = pairs.map(({ source, target }) => [source.length, Math.max(1, target.length)]);
    for (const batch of lengthBatches(lengths, maxTokens)) {
      const found = await model.score(batch.map((i) => pairs[i]));
      found.forEach((score, row) => (scores[batch[row]] = score));
    }
    for (const [i, { source, target }] of pairs.entries())
      yield {
        promptIds: source,
        continuationIds: target,
        logprobs: [...scores[i].logprobs],
        logitsHead: [...scores[i].logitsHead],
      };
  }
}

function sourceTokens(model: Seq2SeqModel, item: PromptItem, index: number): number[] {
  if (item.promptIds === undefined && item.prompt !== undefined && model.tokenizer === null)
    throw new ItemError(index, `has a text, but the model has no tokenizer.json: give it 'prompt_ids'`);
  // The model may lack a tokenizer: `promptTokens` needs one only for texts, and an item without ids is an error in that case.
  const ids = promptTokens(model.tokenizer!, item, index);
  return checkedIds(model.architecture.sourceVocabSize, ids, index);
}

function targetTokens(model: Seq2SeqModel, { continuation, continuationIds }: ContinuationItem, index: number) {
  if (continuationIds) return checkedIds(model.architecture.vocabSize, [...continuationIds], index);
  if (continuation === undefined)
    throw new ItemError(index, `has no continuation: give it 'continuation' (text) or 'continuation_ids'`);
  if (model.tokenizer === null)
    throw new ItemError(index, `has a text, but the model has no tokenizer.json: give it 'continuation_ids'`);
  return checkedIds(model.architecture.vocabSize, model.tokenizer.encodeWithSpecials(continuation), index);
}

function checkedIds(vocabSize: number, ids: number[], index: number): number[] {
  checkTokenIds(ids, vocabSize, index);
  return ids;
}

function checkLengths(
  { architecture: { sourceLimit, targetLimit } }: Seq2SeqModel,
  { source, target }: { source: number; target: number },
  index: number,
): void {
  if (source > sourceLimit)
    throw new ItemError(index, `has ${source} prompt tokens; the model's encoder has positions for ${sourceLimit}`);
  if (target > targetLimit)
    throw new ItemError(index, `requests ${target} tokens; the model's decoder has positions for ${targetLimit}`);
}

const byLength = (lengths: readonly number[]): number[] =>
  lengths.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
