// Converts the fields of a sampling request of the Tinker API to the settings of the serving engine.
import { hash32, Rng } from '@bowyer/core';
import { MAX_TOP_LOGPROBS, noLogitRules, type LanguageModel } from '@bowyer/models';
import type { CompletionRequest } from '@bowyer/serving';
import type { Steps } from '@bowyer/text';
import type { Quotas } from '../models/model-record.js';
import { RequestError } from '../request-error.js';
import type { Body } from '../wire/bodies.js';
import { tokensOfJson } from '../wire/loss-input.js';

export interface SampleSettings {
  prompt: number[];
  samples: number;
  maxTokens: number;
  stops: string[];
  stopIds: number[];
  sampling: CompletionRequest['sampling'];
  seed: number;
  scoresPrompt: boolean;
  topK: number;
}

/**
 * @param id of the request; if the request has no seed, its random numbers depend only on this id and the server's seed
 * @throws {RequestError}
 */
export function* sampleSettings(
  body: Body<'asample'>,
  id: string,
  { model, quotas, seed: serverSeed, most }: { model: LanguageModel; quotas: Quotas; seed: number; most: number },
): Steps<SampleSettings> {
  const { num_samples: samples = 1, sampling_params: params = {}, prompt_logprobs, topk_prompt_logprobs } = body;
  const prompt = yield* tokensOfJson('prompt', body.prompt);
  const vocabSize = model.architecture.vocabSize;
  const strange = prompt.find((token) => token < 0 || token >= vocabSize);
  if (prompt.length === 0) throw new RequestError('prompt has no tokens; this model needs at least one to continue');
  if (strange !== undefined)
    throw new RequestError(`prompt contains the token ${strange}; this model has ${vocabSize}`);
  checkSamples(samples, most);
  const topK = topk_prompt_logprobs ?? 0;
  if (topK > MAX_TOP_LOGPROBS)
    throw new RequestError(`topk_prompt_logprobs is ${topK}; this server returns ${MAX_TOP_LOGPROBS} at most`);
  const temperature = params.temperature ?? 1;
  const maxTokens = tokenLimit(prompt.length, params.max_tokens ?? null, model.contextLength, quotas);
  return {
    prompt: Array.from(prompt),
    samples,
    maxTokens,
    ...stopsOf(params.stop ?? []),
    sampling: {
      greedy: temperature === 0,
      temperature: temperature === 0 ? 1 : temperature,
      topK: Math.max(0, params.top_k ?? -1),
      topP: params.top_p ?? 1,
    },
    seed: params.seed ?? Rng.forPurpose(serverSeed, `sample ${hash32(id)} ${id}`).uint32(),
    scoresPrompt: prompt_logprobs ?? false,
    topK,
  };
}

/** Throws RequestError if the number exceeds the limit. */
export function checkSamples(samples: number, most: number): void {
  if (samples > most)
    throw new RequestError(`num_samples is ${samples}; this server has room for ${most} (slots and task.max_queued)`);
}

function tokenLimit(prompt: number, wanted: number | null, contextLength: number, { requestTokens }: Quotas): number {
  const room = Math.min(contextLength, requestTokens) - prompt;
  const needed = wanted ?? 1;
  if (needed <= room) return wanted ?? room;
  throw new RequestError(
    `prompt has ${prompt} tokens, and max_tokens is ${wanted ?? 'not given'}; together they may have ${Math.min(contextLength, requestTokens)} ` +
      `(${contextLength <= requestTokens ? 'the context of the model' : 'task.max_request_tokens of this server'})`,
  );
}

function stopsOf(stop: string | readonly (string | number)[]): Pick<SampleSettings, 'stops' | 'stopIds'> {
  const given = typeof stop === 'string' ? [stop] : stop;
  return {
    stops: given.filter((each) => typeof each === 'string'),
    stopIds: given.filter((each) => typeof each === 'number'),
  };
}

export const completionOf = (model: string, settings: SampleSettings): CompletionRequest => ({
  model,
  prompts: [{ ids: settings.prompt, echo: '' }],
  n: settings.samples,
  maxTokens: settings.maxTokens,
  minTokens: 0,
  sampling: settings.sampling,
  stops: settings.stops,
  seed: settings.seed,
  stream: false,
  streamsUsage: false,
  logprobs: false,
  topLogprobs: 0,
  scoresPrompts: false,
  namesTokensById: false,
  returnsIds: false,
  stopIds: settings.stopIds,
  ignoresEnd: false,
  logitBias: [],
  presencePenalty: 0,
  frequencyPenalty: 0,
  rules: noLogitRules,
  constraint: null,
  continuesText: true,
  parts: null,
});
