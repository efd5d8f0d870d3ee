// Writes token counts in the form that Chat Completions and Completions share. Source: platform.openai.com/docs/api-reference.
import type { Usage } from '../../generation/answer.js';

export const counts = ({ promptTokens, cachedPromptTokens, completionTokens, reasoningTokens }: Usage): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedPromptTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});
