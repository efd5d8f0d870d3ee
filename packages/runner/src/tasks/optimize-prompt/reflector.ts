// The reflector behind an endpoint.
import { OpenAiChat } from '@bowyer/envs';
import { reflectedText, reflectionMessage, type EvolutionParts } from '@bowyer/rollouts';
import type { PromptKeys } from './prompt-keys.js';

export interface Reflector {
  reflect: EvolutionParts['reflect'];
  close(): Promise<void>;
}

/** @throws where the key's variable is not set */
export function openReflector({ reflector }: PromptKeys): Reflector {
  const { baseUrl, model, apiKeyEnv, temperature, maxTokens, retries, timeoutMs } = reflector;
  const apiKey = apiKeyEnv === null ? null : process.env[apiKeyEnv];
  if (apiKey === undefined)
    throw new Error(
      `reflector: the environment variable ${apiKeyEnv} is not set; it should contain the key of ${baseUrl}\n` +
        '  set it, or write reflector.api_key_env=null for a server that wants none',
    );
  const http = { retries, answerTimeoutMs: timeoutMs };
  const chat = new OpenAiChat({ baseUrl: baseUrl!, model, apiKey, concurrency: 1, http });
  return {
    reflect: async (place, prompts, trials) => {
      const content = reflectionMessage(place, prompts, trials);
      for (let attempt = 0; ; attempt++) {
        const answer = await chat.complete([{ role: 'user', content }], { temperature, max_tokens: maxTokens });
        try {
          return reflectedText(answer.content);
        } catch (error) {
          if (attempt >= retries) throw error;
        }
      }
    },
    close: () => chat.close(),
  };
}
