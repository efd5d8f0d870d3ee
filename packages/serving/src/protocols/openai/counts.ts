// The counts of tokens, and the tokens with their log-probabilities, in the forms of chat completions and completions.
// Source: platform.openai.com/docs/api-reference.
import type { Usage } from '../../generation/answer.js';

export const counts = ({ promptTokens, cachedPromptTokens, completionTokens, reasoningTokens }: Usage): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedPromptTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});
