// Tests `run --config-name serve_model` as a user starts it, with requests of fetch, of policy=openai and of env.oracle=openai.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { runHere } from './in-process.js';
import { startServer, type StartedServer } from './started-server.js';
import { saveTinyModel } from './tiny-model.js';

const folder = newFolder();
let model: string;
let server: StartedServer;

const words = 'Questions : Is it a dog cat ball ? Yes . No . Invalid Question . The object is an apple\n';

beforeAll(async () => {
  model = join(folder, 'tiny-model');
  await saveTinyModel(model, wordLevelTokenizer([words]), 256);
  const overrides = [`model=${model}`, 'port=0', 'threads=1', 'server_key_env=BOWYER_TEST_KEY'];
  const template = 'chat_template=examples/chat-templates/dialogue.jinja';
  const args = ['--config-name', 'serve_model', ...overrides, template, `save_path=${join(folder, 'server')}`];
  server = await startServer(args, { BOWYER_TEST_KEY: 'secret' });
}, 180_000);

const evaluation = (name: string, overrides: string[], env: Record<string, string>) =>
  runHere(
    [
      '--config-name',
      'bc_20q',
      'task=evaluate',
      'test_size=3',
      'slots=2',
      'env.max_turns=4',
      `save_path=${join(folder, name)}`,
      ...overrides,
    ],
    { env },
  );

const endpoint = () => [
  'policy=openai',
  `policy.endpoint.base_url=${server.url}`,
  'policy.endpoint.model=tiny-model',
  'policy.endpoint.max_tokens=6',
  'policy.endpoint.api_key_env=BOWYER_TEST_KEY',
];

test('a chat of the server is what task=generate says', async () => {
  const messages = [{ role: 'user', content: 'Is it a dog ?' }];
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'bearer secret' },
    body: JSON.stringify({ messages, temperature: 0, max_tokens: 9 }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  const [input, output] = [join(folder, 'input.jsonl'), join(folder, 'output.jsonl')];
  writeFileSync(input, JSON.stringify({ messages }));
  const template = 'chat_template=examples/chat-templates/dialogue.jinja';
  const files = [`model=${model}`, `input=${input}`, `output=${output}`, `save_path=${join(folder, 'generate')}`];
  const ended = await runHere(['--config-name', 'generate', ...files, template, 'max_new_tokens=9']);
  expect(ended.stderr).not.toContain('Error');
  const { text } = JSON.parse(readFileSync(output, 'utf8')) as { text: string };
  expect(choices[0].message.content).toBe(text);
}, 180_000);

test('policy=openai plays against it; a wrong key stops at once', async () => {
  const played = await evaluation('played', endpoint(), { BOWYER_TEST_KEY: 'secret' });
  expect(played.stderr).not.toContain('Error');
  expect(played.stdout).toMatch(/tiny-model +requests +tokens[\s\S]*completions +[1-9]\d* /);
  const refused = await evaluation('refused', endpoint(), { BOWYER_TEST_KEY: 'wrong' });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('refuses access: the key in BOWYER_TEST_KEY');
}, 180_000);

test('env.oracle=openai asks it for the answers', async () => {
  const oracle = ['env.oracle=openai', `env.oracle_url=${server.url}`, 'env.oracle_model=tiny-model'];
  const policy = [`checkpoint_path=${model}`, 'max_new_tokens=6', 'threads=1'];
  const ended = await evaluation('oracle', [...policy, ...oracle], { OPENAI_API_KEY: 'secret' });
  expect(ended.stderr).not.toContain('Error');
  expect(ended.stdout).toContain('sampled play on 3 held-out episodes');
}, 180_000);

test('SIGTERM stops the server gracefully', async () => {
  expect(await server.stop()).toBe(0);
  expect(server.said()).toContain('stopped: every answer is finished');
});
