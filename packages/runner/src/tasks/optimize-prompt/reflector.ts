// Opens the reflector, a model that is called at an endpoint.
import { reflectedText, reflectionMessage, type EvolutionParts } from '@bowyer/rollouts';
import { openChat } from '../../agent/play/open-chat.js';
import type { ReflectorConfig } from './prompt-keys.js';

export interface Reflector {
  reflect: EvolutionParts['reflect'];
  close(): Promise<void>;
}

/** Opens the endpoint that writes new prompts. @throws where the key's variable is not set */
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
