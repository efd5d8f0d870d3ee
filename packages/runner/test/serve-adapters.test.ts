// Tests `run --config-name serve_model adapters={…}` as a user starts it: with a run that trained LoRA, a folder in PEFT's
// layout, and one that a client loads while the server runs.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { generateTexts, LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { startServer, type StartedServer } from './started-server.js';
import { saveTinyModel } from './tiny-model.js';

const folder = newFolder();
const at = (...parts: string[]) => join(folder, ...parts);
let server: StartedServer;

beforeAll(async () => {
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const tokenizer = wordLevelTokenizer(['Is it a dog cat ball ? Yes . No . The object is an apple\n']);
  await saveTinyModel(at('base'), tokenizer, 64, { initializer_range: 0.3 });
  // A run's folder, and two folders in PEFT's layout.
  for (const [i, dir] of [at('run', 'checkpoints', 'best'), at('peft'), at('later', 'third')].entries()) {
    const lora = { r: 2, alpha: 4, dropout: 0, targetModules: 'all-linear', seed: 1 };
    const model = await LanguageModel.load({ device, dir: at('base'), lora });
    const tensors = await model.copyParameters();
    const rng = new Rng(i);
    for (const { data } of Object.values(tensors)) data.forEach((_, t) => (data[t] = 0.5 * rng.normal()));
    await model.restoreParameters(tensors);
    await model.save(dir);
    await model.release();
  }
  const adapters = `adapters={support_team: ${at('run')}, frenchTeam: ${at('peft')}}`;
  const overrides = [`model=${at('base')}`, adapters, `runtime_adapters=[${at('later')}]`, 'port=0', 'threads=1'];
  const args = ['--config-name', 'serve_model', ...overrides, `save_path=${at('server')}`];
  server = await startServer(args);
}, 180_000);

async function post(path: string, json: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  return { status: response.status, text: await response.text() };
}

async function served(model: string): Promise<string> {
  const { text } = await post('completions', { model, prompt: 'Is it a dog', temperature: 0, max_tokens: 12 });
  return (JSON.parse(text) as { choices: { text: string }[] }).choices[0].text;
}

/** Returns the answer of the base with only this adapter, or without one. */
async function alone(dir: string): Promise<string> {
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.load({ device, dir, masksPadding: false });
  const options = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 12, seed: 0, batchSize: 1 };
  for await (const { text } of generateTexts(model, [{ prompt: 'Is it a dog' }], options)) return text;
  throw new Error('no text');
}

test('the names of adapters are as they were written, and each says what it says alone', async () => {
  const { data } = (await (await fetch(`${server.url}/models`)).json()) as {
    data: { id: string; root: string; parent: string }[];
  };
  expect(data.map(({ id, root, parent }) => [id, root, parent])).toEqual([
    ['base', at('base'), null],
    ['support_team', at('run', 'checkpoints', 'best'), 'base'],
    ['frenchTeam', at('peft'), 'base'],
  ]);
  expect(server.said()).toContain('room for 6 adapters of rank 16 or less beside 4 layers: ');
  const answers = [await served('base'), await served('support_team'), await served('frenchTeam')];
  expect(new Set(answers).size).toBe(3);
  expect(answers).toEqual([
    await alone(at('base')),
    await alone(at('run', 'checkpoints', 'best')),
    await alone(at('peft')),
  ]);
}, 180_000);

test('a client loads another one, below the folder that is allowed', async () => {
  expect((await post('load_lora_adapter', { lora_name: 'third', lora_path: at('later', 'third') })).status).toBe(200);
  expect(await served('third')).toBe(await alone(at('later', 'third')));
  cpSync(at('peft'), at('elsewhere'), { recursive: true });
  expect((await post('load_lora_adapter', { lora_name: 'more', lora_path: at('elsewhere') })).status).toBe(400);
}, 180_000);

test('SIGTERM stops the server gracefully', async () => {
  expect(await server.stop()).toBe(0);
});
