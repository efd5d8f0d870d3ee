// Runs LangChain's standard tests for the integration of a chat model.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { linkPackages, vitestCases } from '../programs.js';
import { writeScriptedModel, type Line } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { Suite } from '../suite.js';

const place = { location: 'San Francisco' };
const lines: Line[] = [
  { to: 'What is the sum of', says: [['math_addition', { a: 1, b: 2 }]] },
  { to: 'What is the sum of', says: [['AdderTool', { a: 1, b: 2 }]] },
  {
    to: 'weather and current time',
    says: [
      ['get_current_weather', place],
      ['get_current_time', place],
    ],
  },
  { to: "What's the weather", says: [['get_current_weather', place]] },
];

const suite: Suite = {
  title: 'LangChain, standard tests of chat models',
  against: '`serve_model`: chat, responses, messages',
  sources: [
    {
      github: 'langchain-ai/langchainjs',
      commit: '62fc484b2a0d1ec5b8bebff4a8a0efe6300ada72',
      version: '@langchain/standard-tests 0.0.23',
      paths: ['internal/standard-tests'],
    },
    {
      npm: '@langchain/core',
      version: '1.2.5',
      with: ['@langchain/openai@1.5.6', '@langchain/anthropic@1.5.4', 'vitest@3.2.6', 'zod@4.3.6'],
    },
  ],
  inCheck: false,
  async run({ folders: [tests, installed], work }) {
    cpSync(join(tests, 'internal/standard-tests/src'), join(work, 'standard-tests'), { recursive: true });
    cpSync(join(import.meta.dirname, 'models.test.mjs'), join(work, 'models.test.mjs'));
    linkPackages(work, installed);
    const model = await writeScriptedModel(join(work, 'model'), lines);
    return withServer(model, { max_new_tokens: 2000 }, ({ origin }) => vitestCases(work, installed, { CHAT: origin }));
  },
};
export default suite;
