// Runs the feature test suite of the AI SDK.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { linkPackages, vitestCases } from '../programs.js';
import { writeEncoder, writeScriptedModel, type Line } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { Suite } from '../suite.js';

const article = {
  title: 'Types',
  summary: 'What a type is, and how a compiler finds the mistakes of a program by its types.',
  readingTime: 4,
  targetAudience: ['beginners'],
};

/** Answers for the prompts: tool calls, and texts and lists of a certain length. */
const lines: Line[] = [
  { to: 'Use the calculator tool', says: [['calculator', { expression: '2+2' }]] },
  { to: 'Check the temperature', says: [['getTemperature', { city: 'San Francisco' }]] },
  { role: 'tool', to: '15', says: [['playWeatherMusic', { temperature: 15 }]] },
  { to: 'metadata for a technical article', says: JSON.stringify(article) },
  { role: 'tool', to: 'Foggy Day', says: 'The song is Foggy Day.' },
];

const suite: Suite = {
  title: 'AI SDK 7, feature test suite',
  against: '`serve_model`: chat, responses, messages, embeddings',
  sources: [
    {
      github: 'vercel/ai',
      commit: 'ed857f50f112e23930b0c2dd8d532cc8bebbc911',
      version: 'ai@7.0.77',
      paths: ['examples/ai-functions/src/e2e', 'examples/ai-functions/data'],
    },
    {
      npm: 'ai',
      version: '7.0.77',
      with: [
        '@ai-sdk/anthropic@4.0.41',
        '@ai-sdk/openai@4.0.46',
        '@ai-sdk/openai-compatible@3.0.35',
        'vitest@3.2.6',
        'zod@3.25.76',
      ],
    },
  ],
  inCheck: false,
  async run({ folders: [tests, installed], work }) {
    const examples = join(tests, 'examples/ai-functions');
    cpSync(join(examples, 'src/e2e/feature-test-suite.ts'), join(work, 'feature-test-suite.ts'));
    cpSync(join(examples, 'data'), join(work, 'data'), { recursive: true });
    cpSync(join(import.meta.dirname, 'providers.test.mjs'), join(work, 'providers.test.mjs'));
    linkPackages(work, installed);
    const model = await writeScriptedModel(join(work, 'model'), lines);
    const encoder = await writeEncoder(join(work, 'encoder'));
    return withServer(model, { max_new_tokens: 2000 }, (chat) =>
      withServer(encoder, {}, (embeddings) =>
        vitestCases(work, installed, { CHAT: chat.origin, EMBEDDINGS: embeddings.origin }),
      ),
    );
  },
};
export default suite;
