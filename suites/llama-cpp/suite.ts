// Runs the tests of llama.cpp's server against ours, which they accept as an external server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pytestCases } from '../programs.js';
import { writeEncoder, writeScriptedModel } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { CaseResult, Suite } from '../suite.js';

/**
 * The test files about features of both servers, with the model name and, for some, the port that they contain. The other files
 * are about llama.cpp's slots, router, sleep, metrics, images, tools and programs.
 */
const groups: { served_name: string; port?: number; key?: string; files: string[] }[] = [
  { served_name: 'gpt-3.5-turbo-instruct', files: ['basic', 'chat_completion'] },
  { served_name: 'gpt-3.5-turbo', key: 'sk-this-is-the-secret-key', files: ['security'] },
  { served_name: 'davinci-002', files: ['completion'] },
  { served_name: 'gpt-4.1', files: ['compat_oai_responses'] },
  { served_name: 'test', port: 8082, files: ['compat_anthropic'] },
  { served_name: 'gpt-3.5-turbo-instruct', port: 8081, files: ['tool_call'] },
  { served_name: 'text-embedding-3-small', files: ['embedding'] },
];

const suite: Suite = {
  title: 'llama.cpp, server tests',
  against: '`serve_model`: chat, completions, responses, messages, embeddings',
  sources: [
    {
      github: 'ggml-org/llama.cpp',
      commit: '3f545beccee69d9975f466ec7e45fd9aacd8ba90',
      version: 'master of 22 August 2026',
      paths: ['tools/server/tests', 'models/templates'],
    },
    { pip: 'pytest', version: '9.1.1', with: ['requests', 'openai==2.54.0', 'numpy', 'aiohttp', 'prometheus-client'] },
  ],
  inCheck: false,
  notes: '`DEBUG_EXTERNAL=1` keeps the tests from starting a server, so that those of its options fail.',
  async run({ folders: [tests, python], work }) {
    const folder = join(tests, 'tools/server/tests');
    writeFileSync(join(work, 'wget.py'), ''); // the tests import it, but call it only for models
    const model = await writeScriptedModel(join(work, 'model'));
    const encoder = await writeEncoder(join(work, 'encoder'));
    const cases: CaseResult[] = [];
    for (const { served_name, port: wanted = 0, files, key } of groups) {
      const server_key_env = key && 'SERVER_KEY';
      if (key !== undefined) process.env.SERVER_KEY = key;
      const keys = {
        served_name,
        port: wanted,
        max_new_tokens: 64,
        slots: 2,
        ...(server_key_env && { server_key_env }),
      };
      const isChat = served_name !== 'text-embedding-3-small';
      await withServer(isChat ? model : encoder, isChat ? keys : { served_name }, async ({ port }) => {
        const given = ['-m', 'not slow', ...files.map((name) => `unit/test_${name}.py`)];
        const env = { DEBUG_EXTERNAL: '1', PORT: String(port), PYTHONPATH: work };
        cases.push(...(await pytestCases({ folder, python, work, given }, env)));
      });
    }
    return cases;
  },
};
export default suite;
