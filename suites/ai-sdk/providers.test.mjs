// Gives the feature test suite of the AI SDK its providers, all with the address of a served model. Vitest runs it beside that suite.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect } from 'vitest';
import {
  createEmbeddingModelWithCapabilities as embeddingModel,
  createFeatureTestSuite,
  createLanguageModelWithCapabilities as languageModel,
} from './feature-test-suite';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const chat = { baseURL: `${process.env.CHAT}/v1`, apiKey: 'any' };
const embeddings = { baseURL: `${process.env.EMBEDDINGS}/v1`, apiKey: 'any' };

const openai = createOpenAI(chat);
const compatible = createOpenAICompatible({
  ...chat,
  name: 'bowyer',
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const anthropic = createAnthropic(chat);

const suites = {
  'openai.chat': { ofChat: openai.chat, ofTexts: createOpenAI(embeddings).embeddingModel },
  'openai.responses': { ofChat: openai.responses },
  'openai-compatible': {
    ofChat: compatible.chatModel,
    ofTexts: createOpenAICompatible({ ...embeddings, name: 'bowyer' }).embeddingModel,
  },
  anthropic: { ofChat: anthropic },
};

for (const [name, { ofChat, ofTexts }] of Object.entries(suites)) {
  createFeatureTestSuite({
    name,
    models: {
      invalidModel: ofChat('no-such-model'),
      languageModels: [languageModel(ofChat('tiny'))],
      ...(ofTexts && { embeddingModels: [embeddingModel(ofTexts('tiny'))] }),
    },
    timeout: 60_000,
    customAssertions: { errorValidator: ({ message }) => expect(message).toMatch(/no-such-model/) },
  })();
}
