// Tests adapters by name over HTTP: each answers as a server of that adapter alone does, while others are loaded and unloaded.
import { basename, join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder, sendJson, tinyLlama } from '@bowyer/testing';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { ModelServer, type ModelServerOptions } from '../src/model-server/model-server.js';
import { usual } from './tiny-server.js';

const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no . the big red fox runs over my old house\n']);
const config = tinyLlama(96, { num_hidden_layers: 2, initializer_range: 0.2 });

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
let base: string;
/** The folders of the given adapters, by name. */
const given: Record<string, string> = {};
const notices: string[] = [];
const faults: Error[] = [];
const servers: ModelServer[] = [];
const loaded: LanguageModel[] = [];

beforeAll(async () => {
  base = join(folder, 'base');
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
  await model.save(base);
  await model.release();
  for (const [i, name] of ['first', 'second', 'third'].entries()) {
    const lora = { r: 2 + i, alpha: 6, dropout: 0, targetModules: i === 1 ? null : 'all-linear', seed: 1 };
    const trained = await LanguageModel.load({ device, dir: base, lora });
    const tensors = await trained.copyParameters();
    const rng = new Rng(30 + i);
    for (const { data } of Object.values(tensors)) data.forEach((_, at) => (data[at] = 0.3 * rng.normal()));
    await trained.restoreParameters(tensors);
    given[name] = join(folder, 'adapters', name);
    await trained.save(given[name]);
    await trained.release();
  }
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const model of loaded.splice(0)) await model.release();
  notices.length = 0;
  expect(faults).toEqual([]);
});
afterAll(async () => {
  await device.close();
});

async function serve(
  dir: string,
  adapters?: { names: readonly string[]; places?: number; allowed?: readonly string[] },
  more: Partial<ModelServerOptions> = {},
): Promise<ModelServer> {
  const own = Object.fromEntries((adapters?.names ?? []).map((name) => [name, given[name]]));
  const places = adapters?.places ?? adapters?.names.length ?? 1;
  const adapterBank = { places, rank: 4, targetModules: 'all', dirs: Object.values(own) } as const;
  const model = await LanguageModel.load({ device, dir, ...(adapters && { adapterBank }) });
  loaded.push(model);
  const server = await ModelServer.listen({
    ...usual,
    model,
    tokenizer: new SteppedTokenizer(model.tokenizer),
    name: basename(dir),
    slots: 3,
    onFault: (error) => faults.push(error),
    ...(adapters && {
      adapters: {
        given: own,
        modelFolder: base,
        allowedFolders: adapters.allowed ?? [],
        onNotice: (notice: string) => notices.push(notice),
      },
    }),
    ...more,
  });
  servers.push(server);
  return server;
}

interface Body {
  model: string;
  choices: { text: string; logprobs: { tokens: string[]; token_logprobs: (number | null)[] } }[];
  data: { id: string; root?: string; parent?: string | null }[];
  error: { message: string; param: string | null; code: string | null };
}

const ask = (server: ModelServer, method: string, path: string, json?: object) =>
  sendJson<Body>(`${server.url}/${path}`, json, { method });

const question = { prompt: 'is it a dog', max_tokens: 14, logprobs: 0, seed: 4, ignore_eos: true };
const complete = (server: ModelServer, json: object) => ask(server, 'POST', 'completions', { ...question, ...json });

function expectSame(found: Body, wanted: Body): void {
  const [{ text, logprobs }] = found.choices;
  const [expected] = wanted.choices;
  expect(text).toBe(expected.text);
  expect(logprobs.tokens).toEqual(expected.logprobs.tokens);
  logprobs.token_logprobs.forEach((x, t) =>
    expect(Math.abs(x! - expected.logprobs.token_logprobs[t]!)).toBeLessThan(1e-5),
  );
}

test('each name answers as a server of that adapter alone, sampled and scored, in one batch', async () => {
  const names = ['first', 'second', 'third'];
  const together = await serve(base, { names });
  const asked = [...names, 'base', ...names, 'base'];
  const prompts = asked.map((_, i) => (i < 4 ? 'is it a dog' : 'the big red fox runs'));
  const answers = await Promise.all(asked.map((model, i) => complete(together, { model, prompt: prompts[i] })));
  const scored = { max_tokens: 1, echo: true, prompt: 'my old house runs over the cat' };
  const echoes = await Promise.all(asked.map((model) => complete(together, { model, ...scored })));
  for (const name of [...names, 'base']) {
    const alone = await serve(given[name] ?? base);
    for (const [i, model] of asked.entries()) {
      if (model !== name) continue;
      expect(answers[i].body.model).toBe(name);
      expectSame(answers[i].body, (await complete(alone, { prompt: prompts[i] })).body);
      const echoed = (await complete(alone, scored)).body;
      // The first token of a prompt has no log-probability.
      for (const { choices } of [echoes[i].body, echoed]) choices[0].logprobs.token_logprobs[0] = 0;
      expectSame(echoes[i].body, echoed);
    }
  }
  expect(new Set(answers.slice(0, 4).map(({ body }) => body.choices[0].text)).size).toBe(4);
});

test('with the same prompt in one slot after the other, no adapter reuses another’s cache', async () => {
  const names = ['first', 'second'];
  const server = await serve(base, { names }, { slots: 1 });
  const fresh = Object.fromEntries(
    await Promise.all(
      ['base', ...names].map(
        async (name) => [name, (await complete(await serve(given[name] ?? base), {})).body] as const,
      ),
    ),
  );
  for (const name of ['first', 'base', 'second', 'second', 'first', 'base'])
    expectSame((await complete(server, { model: name })).body, fresh[name]);
});

test('the list has the base and its adapters as vLLM shows them; an unknown name gets 404', async () => {
  const server = await serve(base, { names: ['first', 'second'] });
  const { body } = await ask(server, 'GET', 'models');
  expect(body.data.map(({ id, root, parent }) => [id, root, parent])).toEqual([
    ['base', base, null],
    ['first', given.first, 'base'],
    ['second', given.second, 'base'],
  ]);
  expect((await ask(server, 'GET', 'models/second')).body).toMatchObject({ id: 'second', parent: 'base' });
  const unknown = await complete(server, { model: 'third' });
  expect(unknown.status).toBe(404);
  expect(unknown.body.error).toEqual({
    message: "The model 'third' does not exist; this server has 'base', 'first', 'second'",
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  });
  expect(notices).toEqual([
    `the adapter 'first' is loaded from ${given.first}`,
    `the adapter 'second' is loaded from ${given.second}`,
  ]);
});

test('the routes that load and unload are off unless folders are allowed', async () => {
  const server = await serve(base, { names: ['first'] });
  const routes = [
    ['POST', 'load_lora_adapter'],
    ['POST', 'unload_lora_adapter'],
    ['DELETE', 'models/first'],
  ];
  for (const [method, path] of routes) {
    const { status, body } = await ask(server, method, path, { lora_name: 'first', lora_path: given.second });
    expect([status, body.error.message]).toEqual([404, `Unknown request: ${method} /v1/${path}`]);
  }
});

test('adapters are loaded and unloaded by clients, within the folders that are allowed', async () => {
  const server = await serve(base, { names: [], places: 2, allowed: [join(folder, 'adapters')] });
  const load = (json: object) => ask(server, 'POST', 'load_lora_adapter', json);
  expect(await load({ lora_name: 'a', lora_path: given.first })).toMatchObject({
    status: 200,
    text: "Success: LoRA adapter 'a' added successfully.",
  });
  expect((await load({ lora_name: 'b', lora_path: 'second' })).status).toBe(200);
  expectSame((await complete(server, { model: 'a' })).body, (await complete(await serve(given.first), {})).body);
  const refusals: [object, string][] = [
    [
      { lora_name: 'c', lora_path: base },
      "'lora_path' must be an existing folder below one of those that this server allows",
    ],
    [{ lora_name: 'c', lora_path: '../base' }, "'lora_path' must be an existing folder below"],
    [{ lora_name: 'c' }, "'lora_path' must be a text that is not empty"],
    [{ lora_path: given.third }, "'lora_name' must be a text that is not empty"],
    [{ lora_name: 'a', lora_path: given.third }, "The adapter 'a' is loaded already"],
    [{ lora_name: 'base', lora_path: given.third }, "'base' is the name of the model itself"],
    [{ lora_name: 'c', lora_path: given.third }, 'There is room for 2 adapters (task.max_adapters), and a, b have it'],
    [{ lora_name: 'c', lora_path: given.third, is_3d_lora_weight: true }, "'is_3d_lora_weight' is not supported"],
    [
      { lora_name: 'c', lora_paht: given.third },
      "'lora_paht' is not a field of a request that this server knows; did you mean 'lora_path'?",
    ],
  ];
  for (const [json, message] of refusals) {
    const { status, body } = await load(json);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }
  const unloaded = await ask(server, 'POST', 'unload_lora_adapter', { lora_name: 'a' });
  expect(unloaded).toMatchObject({ status: 200, text: "Success: LoRA adapter 'a' removed successfully." });
  expect((await complete(server, { model: 'a' })).status).toBe(404);
  expect((await ask(server, 'POST', 'unload_lora_adapter', { lora_name: 'a' })).status).toBe(404);
  const replaced = await load({ lora_name: 'b', lora_path: given.third, load_inplace: true });
  expect(replaced.status).toBe(200);
  expectSame((await complete(server, { model: 'b' })).body, (await complete(await serve(given.third), {})).body);
  const deleted = await ask(server, 'DELETE', 'models/b');
  expect([deleted.status, deleted.body]).toEqual([200, { id: 'b', object: 'model', deleted: true }]);
  expect((await ask(server, 'DELETE', 'models/base')).status).toBe(400);
  expect((await ask(server, 'GET', 'models')).body.data.map(({ id }) => id)).toEqual(['base']);
});

test('answers in progress end with the adapter that they began with, whatever is loaded and unloaded beside them', async () => {
  const server = await serve(base, { names: ['first', 'second'], allowed: [join(folder, 'adapters')] });
  const long = { max_tokens: 80, seed: 9 };
  const wanted = {
    first: (await complete(await serve(given.first), long)).body,
    second: (await complete(await serve(given.second), long)).body,
  };
  let ended = 0;
  const running = (['first', 'second'] as const).map(async (model) => {
    const { body } = await complete(server, { ...long, model });
    ended++;
    return body;
  });
  while (((await (await fetch(new URL('/health', server.url))).json()) as { running: number }).running < 2);
  expect((await ask(server, 'POST', 'unload_lora_adapter', { lora_name: 'first' })).status).toBe(200);
  expect(ended).toBe(0);
  expect((await complete(server, { model: 'first' })).status).toBe(404);
  // There are two places: the third adapter waits for that of the first, whose answer has not ended.
  const third = await ask(server, 'POST', 'load_lora_adapter', { lora_name: 'third', lora_path: 'third' });
  expect(third.status).toBe(200);
  expect(ended).toBeGreaterThan(0);
  const [first, second] = await Promise.all(running);
  expectSame(first, wanted.first);
  expectSame(second, wanted.second);
  expectSame((await complete(server, { model: 'third' })).body, (await complete(await serve(given.third), {})).body);
});
