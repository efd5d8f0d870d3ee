// Generates continuations of many prompts. Prompts of similar length form a batch; results come in the order of the prompts.
import { contextLimit } from '../architecture/architecture.js';
import { maximum, Rng, spokenIds } from '@bowyer/core';
import { streamChunks, type Items } from './stream-chunks.js';
import type { LanguageModel } from '../language-model/language-model.js';
import { checkTokenIds, continuationText, ItemError, promptTokens, type PromptItem } from './prompt-tokens.js';
import { changesLogits, noLogitRules, type LogitRules } from '../decoding/logit-rules.js';
import type { SamplingOptions } from '../decoding/sampling-options.js';

export interface GeneratedText {
  promptIds: number[];
  /** The text of the new tokens, without special tokens. */
  text: string;
  /** The ids of the new tokens, including the end token. */
  ids: number[];
  /** The log-probability of each new token, in nats, at temperature 1 without truncation. */
  logprobs: number[];
  /** stop: an end token was generated; length: `maxNewTokens` tokens were generated, or the context was full. */
  finishReason: 'stop' | 'length';
}

export interface GenerateTextsOptions extends Omit<
  SamplingOptions,
  'terminatorIds' | 'biasesLogits' | 'appliesRules' | 'masksTokens'
> {
  /** Rules that change logits depending on the text so far, such as a repetition penalty; no rules if omitted. */
  rules?: LogitRules;
  /** The tokens that end a text; the model's end-of-text tokens if omitted. */
  terminatorIds?: readonly number[];
  /** The number of prompts that are continued in parallel. */
  batchSize: number;
  /** The seed from which, with its index, each prompt's random stream is derived, so that batching does not change the output. */
  seed: number;
  /** The prompts in memory at a time, from which batches of similar length are formed; eight batches if omitted. */
  window?: number;
}

/**
 * Generates a text for each prompt, at most up to the model's context length; a prompt longer than the context is an error. The
 * model never reads the last generated token, so that a prompt that fills the context still gets one token.
 */
export async function* generateTexts(
  model: LanguageModel,
  items: Items<PromptItem>,
  { batchSize, seed, window = 8 * batchSize, rules = noLogitRules, ...sampling }: GenerateTextsOptions,
): AsyncGenerator<GeneratedText> {
  const options = { ...sampling, terminatorIds: sampling.terminatorIds ?? endOfText(model) };
  for await (const { start, items: some } of streamChunks(items, window)) {
    const prompts = some.map((item, i) => {
      const ids = promptTokens(model.tokenizer, item, start + i);
      check(model, ids, start + i);
      const maxNewTokens = Math.min(options.maxNewTokens, model.contextLength + 1 - ids.length);
      return { ids, maxNewTokens, rng: Rng.forPurpose(seed, `item ${start + i}`) };
    });
    const results: GeneratedText[] = [];
    for (const chosen of batchesOf(prompts, batchSize)) {
      const { maxNewTokens } = prompts[chosen[0]];
      const texts = await generateBatch(
        model,
        chosen.map((i) => prompts[i]),
        { ...options, maxNewTokens, appliesRules: changesLogits(rules) },
        rules,
      );
      chosen.forEach((i, row) => (results[i] = texts[row]));
    }
    yield* results;
  }
}

/** The longest prompts first; all prompts of a batch can be continued by the same number of tokens. */
function batchesOf(prompts: readonly { ids: number[]; maxNewTokens: number }[], batchSize: number): number[][] {
  const order = prompts.map((_, i) => i).sort((a, b) => prompts[b].ids.length - prompts[a].ids.length || a - b);
  const batches: number[][] = [];
  for (const i of order) {
    const batch = batches.at(-1);
    if (batch && batch.length < batchSize && prompts[batch[0]].maxNewTokens === prompts[i].maxNewTokens) batch.push(i);
    else batches.push([i]);
  }
  return batches;
}

/** Finds the tokens that end a text: the tokenizer's end token, and `eos_token_id` of generation_config.json or config.json. */
export function endOfText({ tokenizer, config }: LanguageModel): number[] {
  const own = config.eos_token_id;
  const ids = [tokenizer.eosTokenId, ...(Array.isArray(own) ? (own as unknown[]) : [own])];
  return [...new Set(ids.filter((id): id is number => Number.isInteger(id) && (id as number) >= 0))];
}

async function generateBatch(
  model: LanguageModel,
  prompts: readonly { ids: number[]; rng: Rng }[],
  options: SamplingOptions,
  rules: LogitRules,
): Promise<GeneratedText[]> {
  const longest = maximum(prompts.map(({ ids }) => ids.length));
  const episodes = await model.openEpisodes({
    slots: prompts.length,
    contextLength: longest + options.maxNewTokens,
  });
  try {
    const utterances = await episodes.act(
      prompts.map(({ ids, rng }, slot) => ({ slot, tokens: ids, rng, ...(options.appliesRules && { rules }) })),
      options,
    );
    return utterances.map((utterance, i) => {
      const { ids, terminated, logprobs } = utterance;
      const promptIds = prompts[i].ids;
      const text = continuationText(model.tokenizer, promptIds, spokenIds(utterance));
      return { promptIds, text, ids, logprobs, finishReason: terminated ? 'stop' : 'length' };
    });
  } finally {
    await episodes.close();
  }
}

function check(model: LanguageModel, ids: readonly number[], index: number): void {
  if (ids.length > model.contextLength)
    throw new ItemError(index, `has ${ids.length} prompt tokens; ${contextLimit(model.architecture)}`);
  checkTokenIds(ids, model.architecture.vocabSize, index);
}
