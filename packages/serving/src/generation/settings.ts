// Fills in the sampling settings that a request does not contain with the server's defaults.
import type { CompletionSettings, RequestReader } from './completion-request.js';

interface Sampling {
  /** 0, or a number too small to divide by in float32, means greedy. */
  temperature?: number;
  topP?: number;
  topK?: number;
}

/** Returns the sampling settings. With `top_p` 0, which OpenAI's API allows, only the most likely token is kept. */
export function samplingOf(
  given: Sampling,
  { defaults }: Pick<RequestReader, 'defaults'>,
): CompletionSettings['sampling'] {
  const { temperature, topP, topK } = { ...defaults, ...given };
  return {
    greedy: temperature === 0,
    temperature: temperature === 0 ? 1 : temperature,
    topK: Math.max(0, topK),
    topP: Math.max(Number.MIN_VALUE, topP),
  };
}

/** Returns the settings of a request for one answer to each prompt, without log-probabilities or other additional outputs. */
export const plainSettings = (reader: RequestReader): CompletionSettings => ({
  model: reader.name,
  n: 1,
  minTokens: reader.rules.minNewTokens,
  sampling: samplingOf({}, reader),
  stops: [],
  seed: null,
  stream: false,
  streamsUsage: false,
  logprobs: false,
  topLogprobs: 0,
  scoresPrompts: false,
  namesTokensById: false,
  returnsIds: false,
  stopIds: [],
  ignoresEnd: false,
  logitBias: [],
  presencePenalty: 0,
  frequencyPenalty: 0,
  rules: reader.rules,
});
