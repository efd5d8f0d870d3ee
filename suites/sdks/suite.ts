// Runs the tests of resources that the SDKs of OpenAI and Anthropic have, with our server in place of their mock.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkPackages, pytestCases, vitestCases } from '../programs.js';
import { writeEncoder, writeScriptedModel } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { CaseResult, Suite } from '../suite.js';

/** The files of a resource, without their folder and ending, by the SDKs, and the model that they name. */
interface Resource {
  readonly sdk: 'openai' | 'anthropic';
  readonly model: string;
  readonly python?: string;
  readonly node?: string;
}

const resources: readonly Resource[] = [
  { sdk: 'openai', model: 'gpt-5.4', python: 'chat/test_completions', node: 'chat/completions/completions' },
  { sdk: 'openai', model: 'gpt-3.5-turbo-instruct', python: 'test_completions', node: 'completions' },
  { sdk: 'openai', model: 'text-embedding-3-small', python: 'test_embeddings', node: 'embeddings' },
  { sdk: 'openai', model: 'gpt-5.6-sol', python: 'test_responses', node: 'responses/responses' },
  { sdk: 'openai', model: 'gpt-4o-mini', python: 'test_models', node: 'models' },
  { sdk: 'openai', model: 'model', python: 'responses/test_input_tokens', node: 'responses/input-tokens' },
  { sdk: 'openai', model: 'model', python: 'responses/test_input_items', node: 'responses/input-items' },
  { sdk: 'anthropic', model: 'claude-opus-4-6', python: 'test_messages' },
  { sdk: 'anthropic', model: 'claude-opus-5', node: 'messages/messages' },
  { sdk: 'anthropic', model: 'model_id', python: 'test_models', node: 'models' },
];

/** Runs test files of a TypeScript SDK; all others than `not` where no file is named. */
async function nodeCases(
  [tests, installed]: readonly string[],
  sdk: Resource['sdk'],
  work: string,
  origin: string,
  include: readonly string[],
  exclude: readonly string[] = [],
): Promise<CaseResult[]> {
  const folder = join(work, sdk);
  mkdirSync(folder, { recursive: true });
  for (const name of ['src', 'tests', 'tsconfig.json'])
    cpSync(join(tests, name), join(folder, name), { recursive: true });
  linkPackages(folder, installed);
  const name = sdk === 'openai' ? 'openai' : '@anthropic-ai/sdk';
  const source = JSON.stringify(join(folder, 'src'));
  const alias = `[{ find: /^${name.replace('/', String.raw`\/`)}$/, replacement: ${source} + '/index.ts' }, { find: /^${name.replace('/', String.raw`\/`)}\\//, replacement: ${source} + '/' }]`;
  const test = JSON.stringify({ globals: true, include, exclude });
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { resolve: { alias: ${alias} }, test: ${test} };\n`);
  return vitestCases(folder, installed, { TEST_API_BASE_URL: origin });
}

const ofSdk = (sdk: string, file: string, cases: readonly CaseResult[]): CaseResult[] =>
  cases.map((each) => ({ ...each, name: `${sdk}, ${file}: ${each.name}` }));

export default {
  title: "The SDKs' tests of resources",
  against: '`serve_model`: chat, completions, responses, messages, embeddings, models',
  sources: [
    {
      github: 'openai/openai-node',
      commit: '7b7d6ca71130d37ec09792c50056b47861f2eccf',
      version: '7.5.0',
      paths: ['src', 'tests', 'tsconfig.json'],
    },
    {
      github: 'anthropics/anthropic-sdk-typescript',
      commit: 'bfa9197f0182084941052be9752c948638421601',
      version: 'main of 19 August 2026',
      paths: ['src', 'tests', 'tsconfig.json'],
    },
    {
      github: 'openai/openai-python',
      commit: 'e43b422412a9e96c9cc5192c61fffbe2d7e04836',
      version: '3.3.1',
      paths: ['src', 'tests'],
    },
    {
      github: 'anthropics/anthropic-sdk-python',
      commit: '009b035305e0724ce108ebd796935f91711fc6e1',
      version: '0.121.0',
      paths: ['src', 'tests'],
    },
    {
      npm: 'vitest',
      version: '3.2.6',
      with: ['standardwebhooks@1.0.0', 'json-schema-to-ts@3.1.1', 'zod@4.3.6', 'undici@8.9.0', 'ws@8.21.0'],
    },
    {
      pip: 'pytest-asyncio',
      version: '1.4.0',
      with: [
        'pytest==9.1.1',
        'httpx2',
        'httpx',
        'pydantic',
        'distro',
        'jiter',
        'sniffio',
        'anyio',
        'docstring-parser',
        'aiohttp',
        'respx',
        'rich',
      ],
    },
  ],
  inCheck: false,
  notes:
    "`TEST_API_BASE_URL` names our server, and the model has the name that a resource's tests ask for; the type of each answer is checked by the SDK. " +
    'The Python SDKs have the tests of the resources that the server has, the TypeScript SDKs those of all.',
  async run({ folders, work, log }) {
    const [openaiNode, anthropicNode, openaiPython, anthropicPython, node, python] = folders;
    const model = await writeScriptedModel(join(work, 'model'));
    const encoder = await writeEncoder(join(work, 'encoder'));
    const cases: CaseResult[] = [];
    const nodeTests = { openai: [openaiNode, node], anthropic: [anthropicNode, node] };
    const pythonTests = { openai: openaiPython, anthropic: anthropicPython };
    for (const { sdk, model: name, python: pythonFile, node: nodeFile } of resources) {
      const isEncoder = name.startsWith('text-embedding');
      const keys = { served_name: name, ...(!isEncoder && { max_new_tokens: 16, slots: 2 }) };
      await withServer(isEncoder ? encoder : model, keys, async ({ origin }) => {
        const base = sdk === 'openai' ? `${origin}/v1` : origin;
        if (nodeFile !== undefined) {
          const include = [`tests/api-resources/${nodeFile}.test.ts`];
          cases.push(...ofSdk(`${sdk}-node`, nodeFile, await nodeCases(nodeTests[sdk], sdk, work, base, include)));
        }
        if (pythonFile !== undefined) {
          const folder = pythonTests[sdk];
          const given = [
            '-p',
            'absent',
            '-o',
            'asyncio_mode=auto',
            '-k',
            'not aiohttp',
            `tests/api_resources/${pythonFile}.py`,
          ];
          const env = { TEST_API_BASE_URL: base, PYTHONPATH: [join(folder, 'src'), import.meta.dirname].join(':') };
          const found = await pytestCases({ folder, python, work, given }, env);
          cases.push(...ofSdk(`${sdk}-python`, pythonFile, found));
        }
      });
      log(`${sdk}, ${pythonFile ?? nodeFile}: ${cases.length} cases so far`);
    }
    await withServer(model, { served_name: 'model', max_new_tokens: 16 }, async ({ origin }) => {
      for (const sdk of ['openai', 'anthropic'] as const) {
        const files = resources.flatMap((each) =>
          each.sdk === sdk && each.node ? [`tests/api-resources/${each.node}.test.ts`] : [],
        );
        const base = sdk === 'openai' ? `${origin}/v1` : origin;
        const found = await nodeCases(nodeTests[sdk], sdk, work, base, ['tests/api-resources/**/*.test.ts'], files);
        cases.push(...ofSdk(`${sdk}-node`, 'other resources', found));
      }
    });
    return cases;
  },
} satisfies Suite;
