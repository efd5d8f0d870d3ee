// Opens the reflector of task=optimize_prompt: a model at an endpoint that reads rollouts and writes new prompts.
import { reflectedText, reflectionMessage, type EvolutionParts } from '@bowyer/rollouts';
import { openChat } from '../../agent/play/open-chat.js';
import type { ReflectorConfig } from './prompt-keys.js';

export interface Reflector {
  reflect: EvolutionParts['reflect'];
  close(): Promise<void>;
}

/** Throws where the environment variable with the API key is not set. */
export function openReflector({ reflector }: ReflectorConfig): Reflector {
  const { temperature, maxTokens, retries } = reflector;
  const chat = openChat('reflector', { ...reflector, baseUrl: reflector.baseUrl! });
  return {
    reflect: async (place, prompts, trials) => {
      const content = reflectionMessage(place, prompts, trials);
      for (let attempt = 0; attempt <= retries; attempt++) {
        const answer = await chat.complete([{ role: 'user', content }], { temperature, max_tokens: maxTokens });
        const text = reflectedText(answer.content);
        if (text !== null) return text;
      }
      return null;
    },
    close: () => chat.close(),
  };
}
