// Tests every route over HTTP, with a real tiny model: order, keys, quotas, failures, sampling, checkpoints, and a restart after SIGKILL.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { protobuf } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { typeScriptArguments, whenExhaustive } from '@bowyer/testing';
import { unpackTar } from 'modern-tar';
import { TinkerClient } from '../src/index.js';
import { fileName } from '../src/store/file-names.js';
import { dtypes, forwardBackwardRequest } from '../src/wire/messages.js';
import { tinyBase } from './tiny-base.js';
import { tinyServer } from './tiny-server.js';
import { clientOf, creation, datum, places, session, withServer } from './with-server.js';

const chunks = (tokens: number[]) => ({ chunks: [{ type: 'encoded_text', tokens }] });
const forwardBackward = (model_id: string, seq_id: number, tokens: number[]) => ({
  model_id,
  seq_id,
  forward_backward_input: { data: [datum(tokens)], loss_fn: 'cross_entropy' },
});
const optimStep = (model_id: string, seq_id: number) => ({ model_id, seq_id, adam_params: { learning_rate: 0.01 } });

async function model(
  client: TinkerClient,
  session_id: string,
  model_seq_id = 0,
  lora: object = { rank: 2, seed: 1 },
): Promise<string> {
  const body = creation(session_id, { model_seq_id, lora_config: lora });
  return (await client.run<{ model_id: string }>('create_model', body)).model_id;
}

interface Loss {
  loss_fn_outputs: { logprobs: { data: number[]; dtype: string; shape: number[] } }[];
  metrics: Record<string, number>;
}
interface Samples {
  sequences: { stop_reason: string; tokens: number[]; logprobs: number[] }[];
  prompt_logprobs: (number | null)[] | null;
  topk_prompt_logprobs: ([number, number][] | null)[] | null;
}

test('start-up routes answer as the client needs it', () =>
  withServer(async (client) => {
    expect(await client.json('POST', 'client/config', { sdk_version: '0.26.2' })).toMatchObject({
      pjwt_auth_enabled: false,
      parallel_fwdbwd_chunks: true,
    });
    expect(await client.json('POST', 'client/dynamic_config', {})).toMatchObject({ refresh_interval_sec: 300 });
    expect(await client.json('GET', 'healthz')).toEqual({ status: 'ok' });
    expect(await client.json('GET', 'get_server_capabilities')).toEqual({
      supported_models: [{ model_name: 'tiny', max_context_length: 64, trainable: true, sampleable: true }],
    });
    const id = await session(client);
    expect(await client.json('POST', 'session_heartbeat', { session_id: id })).toEqual({ type: 'session_heartbeat' });
    const events = { session_id: id, events: [], platform: 'linux', sdk_version: '0.26.2' };
    expect(await client.json('POST', 'telemetry', events)).toEqual({ status: 'accepted' });
    expect(await client.json('GET', 'sessions')).toEqual({ sessions: [id] });
  }));

test('requests that arrive in reverse order are run in theirs, and give the numbers of the right order', () =>
  withServer(async (client) => {
    const id = await session(client);
    const [a, b] = [await model(client, id, 0), await model(client, id, 1)];
    const sent = [forwardBackward(a, 1, [5, 6, 7]), optimStep(a, 2), forwardBackward(a, 3, [5, 6, 7])] as const;
    const ids: string[] = [];
    for (const body of [...sent].reverse()) {
      const path = 'adam_params' in body ? 'optim_step' : 'forward_backward';
      ids.unshift((await client.json<{ request_id: string }>('POST', path, body)).request_id);
    }
    const last = await client.result<Loss>(ids[2]);
    await client.run('forward_backward', forwardBackward(b, 1, [5, 6, 7]));
    await client.run('optim_step', optimStep(b, 2));
    const inOrder = await client.run<Loss>('forward_backward', forwardBackward(b, 3, [5, 6, 7]));
    expect(last).toEqual(inOrder);
    const first = await client.result<Loss>(ids[0], 'json');
    expect(last.metrics['loss:sum']).toBeLessThan(first.metrics['loss:sum']);
    expect(last.loss_fn_outputs[0].logprobs).toMatchObject({ dtype: 'float32', shape: [2] });
  }));

test('a request that waits for one that is missing fails, is passed over, and stays failed over a restart', async () => {
  const missing = { missingMs: 50 };
  const waits = /^seq_id 2 of the model .* has not been sent for 0 s, and 3 waited for it\n {2}nothing was done for 3;/;
  let id = '';
  let third = '';
  await withServer(async (client) => {
    id = await model(client, await session(client));
    await client.run('forward_backward', forwardBackward(id, 1, [5, 6, 7]));
    const far = client.send('POST', 'optim_step', optimStep(id, 1027));
    await expect(far).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(
        'seq_id is 1027, and 2 has not been sent; a request may be 1024 ahead',
      ) as string,
    });
    third = (await client.json<{ request_id: string }>('POST', 'optim_step', optimStep(id, 3))).request_id;
    await expect(client.result(third)).rejects.toMatchObject({
      category: 'user',
      message: expect.stringMatching(waits) as string,
    });
  }, missing);
  await withServer(async (client) => {
    await expect(client.result(third)).rejects.toMatchObject({
      category: 'user',
      message: expect.stringMatching(waits) as string,
    });
    const before = await client.run<Loss>('forward_backward', forwardBackward(id, 2, [5, 6, 7]));
    const after = await client.run<Loss>('forward_backward', forwardBackward(id, 4, [5, 6, 7]));
    expect(after).toEqual(before); // the step with the number 3 was not run
  }, missing);
});

test('a request that is sent again has the same future; another body for its number has status 409', () =>
  withServer(async (client) => {
    const id = await model(client, await session(client));
    const body = forwardBackward(id, 1, [5, 6, 7]);
    const first = await client.json('POST', 'forward_backward', body);
    expect(await client.json('POST', 'forward_backward', body)).toEqual(first);
    const other = client.send('POST', 'forward_backward', forwardBackward(id, 1, [5, 6, 8]));
    await expect(other).rejects.toMatchObject({ status: 409 });
    await expect(client.result('unknown')).rejects.toMatchObject({ status: 410 });
  }));

test('a result that is not kept: a sample is drawn again, and what has changed a model is not done twice', async () => {
  let [session_id, id] = ['', ''];
  const sent = () => forwardBackward(id, 1, [5, 6, 7]);
  const gone = {
    status: 200,
    category: 'user',
    message: expect.stringMatching(/not kept .*max_results_mb/s) as string,
  };
  const sample = { base_model: 'tiny', prompt: chunks([5, 6]), sampling_params: { max_tokens: 2, seed: 1 } };
  const key = { 'x-idempotency-key': 'sample' };
  const sampleId = async (client: TinkerClient, body: object = sample) =>
    (await client.json<{ request_id: string }>('POST', 'asample', body, key)).request_id;
  await withServer(
    async (client) => {
      session_id = await session(client);
      id = await model(client, session_id);
      const first = await client.run<Loss>('forward_backward', sent());
      const drawn = await client.result<Samples>(await sampleId(client));
      await client.run('optim_step', optimStep(id, 2)); // this makes room for another
      await client.run('forward', { model_id: id, seq_id: 3, forward_input: sent().forward_backward_input });
      await expect(client.run('forward_backward', sent())).rejects.toMatchObject(gone);
      const other = client.send('POST', 'forward_backward', forwardBackward(id, 1, [5, 6, 8]));
      await expect(other).rejects.toMatchObject({ status: 409 });
      await expect(
        client.result(`sample:${createHash('sha256').update('sample').digest('hex')}`),
      ).rejects.toMatchObject({
        status: 410,
      });
      const again = await client.result<Samples>(await sampleId(client));
      expect(again.sequences.map(({ tokens }) => tokens)).toEqual(drawn.sequences.map(({ tokens }) => tokens));
      expect(await model(client, session_id)).toBe(id);
      expect((await client.run<Loss>('forward_backward', { ...sent(), seq_id: 4 })).metrics).not.toEqual(first.metrics);
    },
    { resultBytes: 1 },
  );
  await withServer(async (client) => {
    await expect(client.run('forward_backward', sent())).rejects.toMatchObject(gone);
    await client.run('forward_backward', { ...sent(), seq_id: 5 });
  });
});

test('what cannot be served fails by name, and what comes behind it runs', () =>
  withServer(async (client) => {
    const id = await session(client);
    const a = await model(client, id);
    const bad = (seq_id: number, changes: object) => ({ ...forwardBackward(a, seq_id, [5, 6, 7]), ...changes });
    const image = {
      data: [{ ...datum([5, 6]), model_input: { chunks: [{ type: 'image' }] } }],
      loss_fn: 'cross_entropy',
    };
    const failing: [object, RegExp][] = [
      [bad(1, { forward_backward_input: { data: [datum([5, 6])], loss_fn: 'gspo' } }), /loss_fn 'gspo' is not served/],
      [bad(2, { forward_backward_input: image }), /chunks\[0\] is image/],
      [bad(3, { surprise: 1 }), /surprise: unexpected property/],
    ];
    for (const [body, message] of failing) await expect(client.run('forward_backward', body)).rejects.toThrow(message);
    const malformed: [path: string, body: object, message: RegExp][] = [
      ['optim_step', { adam_params: { learning_rate: '0.1' } }, /adam_params\.learning_rate: expected/],
      ['save_weights', { path: 5 }, /path: expected/],
      ['save_weights_for_sampler', { surprise: 1 }, /surprise: unexpected property/],
      ['load_weights', {}, /path: expected/],
    ];
    for (const [i, [path, body, message]] of malformed.entries())
      await expect(client.run(path, { model_id: a, seq_id: 4 + i, ...body })).rejects.toThrow(message);
    await expect(client.run('optim_step', optimStep(a, 0))).rejects.toMatchObject({ status: 400 });
    const cut = protobuf.encode(forwardBackwardRequest, { modelId: a, seqId: 8, lossFn: 'ppo' }).subarray(0, -1);
    await expect(client.run('forward_backward', cut)).rejects.toMatchObject({ category: 'user' });
    await client.run('forward_backward', forwardBackward(a, 9, [5, 6, 7]));
    await expect(model(client, id, 1, { rank: 9 })).rejects.toThrow(/max_lora_rank/);
    await model(client, id, 2);
    await model(client, id, 3);
    await expect(model(client, id, 4)).rejects.toThrow(/max_models/);
  }));

test('samples: the base and an adapter, with seeds, stops, and log-probabilities of the prompt', () =>
  withServer(async (client) => {
    const id = await session(client);
    const a = await model(client, id);
    await client.run('forward_backward', forwardBackward(a, 1, [5, 6, 7]));
    await client.run('optim_step', optimStep(a, 2));
    const saved = await client.run<{ sampling_session_id: string }>('save_weights_for_sampler', {
      model_id: a,
      seq_id: 3,
      sampling_session_seq_id: 0,
    });
    const scored = await client.run<Loss>('forward', {
      model_id: a,
      seq_id: 4,
      forward_input: forwardBackward(a, 4, [5, 6, 7]).forward_backward_input,
    });
    const ask = { sampling_session_id: saved.sampling_session_id, prompt: chunks([5, 6, 7]), prompt_logprobs: true };
    const params = { max_tokens: 6, seed: 3 };
    const sample = (seq_id: number, more: object) =>
      client.run<Samples>('asample', { ...ask, seq_id, sampling_params: params, ...more });
    const first = await sample(0, { num_samples: 2, topk_prompt_logprobs: 3 });
    expect(first.sequences).toHaveLength(2);
    for (const { tokens, logprobs } of first.sequences) expect(logprobs).toHaveLength(tokens.length);
    expect(first.prompt_logprobs![0]).toBeNull();
    first
      .prompt_logprobs!.slice(1)
      .forEach((value, i) => expect(value).toBeCloseTo(scored.loss_fn_outputs[0].logprobs.data[i], 4));
    expect(first.topk_prompt_logprobs![0]).toBeNull();
    expect(first.topk_prompt_logprobs![1]).toHaveLength(3);
    const again = await sample(1, { num_samples: 2 });
    // The prompt is in the cache now, so that the last bits may differ.
    expect(again.sequences.map(({ tokens }) => tokens)).toEqual(first.sequences.map(({ tokens }) => tokens));
    const [stop] = first.sequences[0].tokens;
    const stopped = await sample(2, { sampling_params: { ...params, stop: [stop] } });
    expect(stopped.sequences[0]).toMatchObject({ tokens: [stop], stop_reason: 'stop' });
    const hot = { ...params, temperature: 3, max_tokens: 20 };
    const long = await sample(3, { prompt_logprobs: false, sampling_params: hot });
    const words = long.sequences[0].tokens.map((token) => `w${token - 3}`);
    const at = words.findIndex((word, i) => i > 1 && !words.slice(0, i).join(' ').includes(word));
    expect(at).toBeGreaterThan(1);
    for (const [i, stop] of [words[at], ['never', words[at]], [`${words[at - 1]} ${words[at]}`]].entries()) {
      const sampling_params = { ...hot, stop };
      const { sequences } = await sample(4 + i, { prompt_logprobs: false, sampling_params });
      expect(sequences[0]).toMatchObject({ tokens: long.sequences[0].tokens.slice(0, at + 1), stop_reason: 'stop' });
      expect(sequences[0].logprobs).toHaveLength(at + 1);
    }
    const [promise] = [
      await client.json<{ sample_sequence_ids: string[] }>('POST', 'asample', { ...ask, seq_id: 9, num_samples: 2 }),
    ];
    expect(promise.sample_sequence_ids).toHaveLength(2);
  }));

test('samples beyond the places and the queue have status 429, and are taken when they are sent again', () =>
  withServer(async (client) => {
    const body = { base_model: 'tiny', prompt: chunks([5, 6]), num_samples: 12, sampling_params: { max_tokens: 50 } };
    const ask = (i: number) =>
      client.json<{ request_id: string }>('POST', 'asample', body, { 'x-idempotency-key': String(i) });
    const replies = await Promise.allSettled([0, 1, 2, 3].map(ask));
    const taken = replies.filter((reply) => reply.status === 'fulfilled');
    const refused = replies.flatMap((reply, i) => (reply.status === 'rejected' ? [[i, reply.reason as unknown]] : []));
    expect(taken.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const [, reason] of refused) expect(reason).toMatchObject({ status: 429 });
    for (const { value } of taken) expect((await client.result<Samples>(value.request_id)).sequences).toHaveLength(12);
    const { request_id } = await ask(refused[0][0] as number);
    expect((await client.result<Samples>(request_id)).sequences).toHaveLength(12);
  }));

test('quotas of memory, storage, models, tokens, data and bodies are refused by the names of their settings', async () => {
  const quotas = { storageBytes: 100_000, models: 1, requestTokens: 10, datums: 2, bodyBytes: 2000 };
  await withServer(async (client) => {
    const id = await session(client);
    const a = await model(client, id);
    await expect(model(client, id, 1)).rejects.toThrow(/max_models\).*unload/);
    const refused: [data: object[], RegExp][] = [
      [[datum([5, 6, 7]), datum([5, 6]), datum([5, 6])], /max_datums/],
      [[datum(Array.from({ length: 12 }, () => 5))], /max_request_tokens/],
    ];
    for (const [i, [data, message]] of refused.entries()) {
      const forward_backward_input = { data, loss_fn: 'cross_entropy' };
      const sent = client.run('forward_backward', { model_id: a, seq_id: 1 + i, forward_backward_input });
      await expect(sent).rejects.toThrow(message);
    }
    const large = client.send('POST', 'forward_backward', forwardBackward(a, 3, new Array<number>(1000).fill(5)));
    await expect(large).rejects.toMatchObject({ status: 413 });
    await client.run('save_weights', { model_id: a, seq_id: 3, path: 'one' });
    const again = client.run('save_weights', { model_id: a, seq_id: 4, path: 'two' });
    await expect(again).rejects.toThrow(/max_storage_mb\); delete some/);
    await client.send('DELETE', `training_runs/${a}/checkpoints/weights/one`);
    await client.run('save_weights', { model_id: a, seq_id: 5, path: 'two' });
    await client.run('unload_model', { model_id: a });
    await model(client, id, 2);
  }, quotas);
  await rm(places.server, { recursive: true });
  await withServer(
    async (client) => {
      const id = await session(client);
      await expect(model(client, id, 0, { rank: 4 })).rejects.toThrow(/max_models_mb/);
      await model(client, id, 1, { rank: 1 });
    },
    { modelBytes: 30_000 },
  );
});

test('a restart has the sessions of clients, their keys, and their sampling sessions', async () => {
  const body = { tags: ['one'], user_metadata: { run: 3 }, sdk_version: '0.26.2' };
  const key = { 'x-idempotency-key': 'session' };
  const opened = (session_id: unknown) => ({ session_id, sampling_session_seq_id: 0, base_model: 'tiny' });
  let before: Record<string, unknown> = {};
  let sampler: Record<string, unknown> = {};
  await withServer(async (client) => {
    before = await client.json('POST', 'create_session', body, key);
    sampler = await client.json('POST', 'create_sampling_session', opened(before.session_id));
  });
  await withServer(async (client) => {
    const { session_id } = before;
    expect(await client.json('POST', 'create_session', body, key)).toEqual(before);
    const other = client.send('POST', 'create_session', { ...body, tags: [] }, key);
    await expect(other).rejects.toMatchObject({ status: 409 });
    expect(await client.json('GET', 'sessions')).toEqual({ sessions: [session_id] });
    await client.json('POST', 'session_heartbeat', { session_id });
    const { sampling_session_id } = sampler;
    expect(await client.json('GET', `sessions/${String(session_id)}`)).toMatchObject({
      sampler_ids: [sampling_session_id],
    });
    expect(await client.json('POST', 'create_sampling_session', opened(session_id))).toEqual(sampler);
    const ask = { sampling_session_id, seq_id: 0, prompt: chunks([5, 6]), sampling_params: { max_tokens: 2 } };
    expect((await client.run<Samples>('asample', ask)).sequences).toHaveLength(1);
    expect(await model(client, String(session_id))).toBe(`${String(session_id)}:train:0`);
  });
});

test('a head that is the embedding is not trained, and weights_info says so', async () => {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const tied = await tinyBase(device, { isTied: true });
  await device.close();
  const { server, close } = await tinyServer(tied, places.server);
  try {
    const client = clientOf(server.url);
    const id = await session(client);
    const alone = { rank: 2, train_attn: false, train_mlp: false, train_unembed: true };
    await expect(model(client, id, 0, alone)).rejects.toThrow(/leave no layer of this model to train/);
    const a = await model(client, id, 1, { rank: 2, train_unembed: true });
    const { path } = await client.run<{ path: string }>('save_weights', { model_id: a, seq_id: 1, path: 'one' });
    expect(await client.json('POST', 'weights_info', { tinker_path: path })).toMatchObject({
      train_attn: true,
      train_unembed: false,
    });
  } finally {
    await close();
  }
});

test('checkpoints are listed, loaded, downloaded and deleted', () =>
  withServer(async (client) => {
    const id = await session(client);
    const a = await model(client, id);
    await client.run('forward_backward', forwardBackward(a, 1, [5, 6, 7]));
    await client.run('optim_step', optimStep(a, 2));
    const { path } = await client.run<{ path: string }>('save_weights', { model_id: a, seq_id: 3, path: 'one' });
    expect(path).toBe(`tinker://${a}/weights/one`);
    expect(await client.json('POST', 'weights_info', { tinker_path: path })).toMatchObject({
      base_model: 'tiny',
      lora_rank: 2,
    });
    const made = { session_id: id, model_seq_id: 7, path, optimizer: true };
    const { model_id: b } = await client.run<{ model_id: string }>('load_weights', made);
    const [x, y] = [
      await client.run<Loss>('forward_backward', forwardBackward(a, 4, [8, 9, 5])),
      await client.run<Loss>('forward_backward', forwardBackward(b, 1, [8, 9, 5])),
    ];
    expect(y).toEqual(x);
    expect(await client.json('GET', `training_runs/${a}`)).toMatchObject({
      training_run_id: a,
      last_checkpoint: { tinker_path: path },
    });
    const { url } = await client.json<{ url: string }>('GET', `training_runs/${a}/checkpoints/weights/one/archive`);
    const tar = await client.send('GET', url.split('/api/v1/')[1]);
    const archived = await unpackTar(new Uint8Array(await tar.arrayBuffer()));
    const adapter = archived.find(({ header }) => header.name === 'adapter_model.safetensors');
    expect(adapter!.header).toMatchObject({ type: 'file', uid: 0, size: adapter!.data!.length });
    await client.send('DELETE', `training_runs/${a}/checkpoints/weights%2Fone`);
    expect(await client.json('GET', `training_runs/${a}/checkpoints`)).toEqual({ checkpoints: [] });
    expect(await client.run('unload_model', { model_id: a })).toEqual({ type: 'unload_model', model_id: a });
  }));

async function program(mode = 'lives'): Promise<{ child: ChildProcess; client: TinkerClient }> {
  const root = resolve(import.meta.dirname, '../../..');
  const script = join(import.meta.dirname, 'server-program.ts');
  const args = [...typeScriptArguments(), script, places.model, places.server, mode];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, client: clientOf(String(line).trim()) };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('models, samplers, samples of a session and checkpoints are described as the client reads them', () =>
  withServer(async (client) => {
    const session_id = await session(client);
    const model_id = await model(client, session_id);
    expect(await client.json('POST', 'get_info', { model_id })).toEqual({
      type: 'get_info',
      model_id,
      model_name: 'tiny',
      is_lora: true,
      lora_rank: 2,
      model_data: { arch: expect.any(String) as string, model_name: 'tiny', tokenizer_id: 'tiny' },
    });
    const opened = { session_id, sampling_session_seq_id: 1, base_model: 'tiny' };
    const first = await client.json<{ sampling_session_id: string }>('POST', 'create_sampling_session', opened);
    expect(await client.json('POST', 'create_sampling_session', opened)).toEqual(first);
    const { sampling_session_id } = first;
    expect(await client.json('GET', `samplers/${sampling_session_id}`)).toEqual({
      sampler_id: sampling_session_id,
      base_model: 'tiny',
    });
    expect(await client.json('GET', `sessions/${session_id}`)).toEqual({
      training_run_ids: [model_id],
      sampler_ids: [sampling_session_id],
    });
    for (const nobody of ['samplers/x', 'sessions/x', 'training_runs/x'])
      await expect(client.json('GET', nobody)).rejects.toMatchObject({ status: 404 });

    const { path } = await client.run<{ path: string }>('save_weights', { model_id, seq_id: 1, path: 'first' });
    const place = `training_runs/${model_id}/checkpoints/weights/first`;
    const listed = async () => (await client.json<{ checkpoints: object[] }>('GET', 'checkpoints')).checkpoints;
    const entry = { checkpoint_id: 'weights/first', checkpoint_type: 'training', tinker_path: path };
    expect(await listed()).toMatchObject([{ ...entry, public: false, expires_at: null }]);
    await client.json('POST', `${place}/publish`);
    const never = client.json('PUT', `${place}/ttl`, { ttl_seconds: 1e15 }); // a date that cannot be written
    await expect(never).rejects.toMatchObject({ status: 400 });
    await client.json('PUT', `${place}/ttl`, { ttl_seconds: 3600 });
    const [{ expires_at }] = (await listed()) as { expires_at: string }[];
    expect(await listed()).toMatchObject([{ ...entry, public: true }]);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(3_500_000);
    await client.json('DELETE', `${place}/publish`);
    await client.json('PUT', `${place}/ttl`, { ttl_seconds: null });
    expect(await listed()).toMatchObject([{ ...entry, public: false, expires_at: null }]);
    const page = await client.json<{ training_runs: object[]; cursor: object }>(
      'GET',
      'training_runs?limit=1&offset=1',
    );
    expect(page).toEqual({ training_runs: [], cursor: { offset: 1, limit: 1, total_count: 1 } });
  }));

test('a loss in protobuf equals that in JSON, and several targets of a position share it', () =>
  withServer(async (client) => {
    const session_id = await session(client);
    const [a, b, c] = [
      await model(client, session_id, 0),
      await model(client, session_id, 1),
      await model(client, session_id, 2),
    ];
    const json = await client.run<Loss>('forward_backward', forwardBackward(a, 1, [5, 6, 7]));
    const ints = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);
    const longs = (...values: number[]) => new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);
    const message = protobuf.encode(forwardBackwardRequest, {
      modelId: b,
      seqId: 1,
      data: [
        {
          modelInput: [{ encodedText: { tokens: ints(5, 6) } }],
          lossFnInputs: { target_tokens: { dense: longs(6, 7), dtype: dtypes.int64, shape: [2] } },
        },
      ],
      lossFn: 'cross_entropy',
    });
    const inProtobuf = await client.run<Loss>('forward_backward', message);
    expect(inProtobuf).toEqual(json);
    const two = { data: [6, 6, 7, 7], dtype: 'int64', shape: [2, 2] };
    const weights = { data: [0.25, 0.75, 0.5, 0.5], dtype: 'float32', shape: [2, 2] };
    const several = { model_input: chunks([5, 6]), loss_fn_inputs: { target_tokens: two, weights } };
    const input = { data: [several], loss_fn: 'cross_entropy' };
    const wide = await client.run<Loss>('forward_backward', { model_id: c, seq_id: 1, forward_backward_input: input });
    expect(wide.metrics['loss:sum']).toBeCloseTo(json.metrics['loss:sum'], 5);
    expect(wide.loss_fn_outputs[0].logprobs.shape).toEqual([2, 2]);
  }));

async function expectSameWhenKilledAfter(ms: number): Promise<void> {
  const before = await program();
  const id = await session(before.client);
  const a = await model(before.client, id);
  const requests: string[] = [];
  for (let seq = 1; seq <= 6; seq++) {
    const isStep = seq % 3 === 0;
    const body = isStep ? optimStep(a, seq) : forwardBackward(a, seq, [5, 6, 7, 8 + seq]);
    const path = isStep ? 'optim_step' : 'forward_backward';
    requests.push((await before.client.json<{ request_id: string }>('POST', path, body)).request_id);
  }
  await new Promise((done) => setTimeout(done, ms));
  await killed(before.child);
  await withServer(async (after) => {
    const results: unknown[] = [];
    for (const request of requests) results.push(await after.result(request));
    const b = await model(after, id, 1);
    for (const [i, result] of results.entries()) {
      const seq = i + 1;
      const isStep = seq % 3 === 0;
      const body = isStep ? optimStep(b, seq) : forwardBackward(b, seq, [5, 6, 7, 8 + seq]);
      expect(await after.run(isStep ? 'optim_step' : 'forward_backward', body)).toEqual(result);
    }
    const next = (m: string) => after.run<Loss>('forward_backward', forwardBackward(m, 7, [5, 6, 7]));
    expect(await next(a)).toEqual(await next(b));
  });
}

const killTitle =
  'after SIGKILL %i ms behind the last request, a restart has the numbers of a server that was not killed';
test.each([40])(killTitle, expectSameWhenKilledAfter);
whenExhaustive().test.each([0, 200])(killTitle, expectSameWhenKilledAfter);

test('after SIGKILL within the writing of a snapshot, a restart has the numbers of a server that was not killed', async () => {
  const { child, client } = await program('dies');
  const gone = once(child, 'exit');
  const id = await session(client);
  const a = await model(client, id);
  const bodyOf = (m: string, seq: number): [path: string, body: object] =>
    seq % 2 === 0
      ? ['optim_step', optimStep(m, seq)]
      : ['forward_backward', forwardBackward(m, seq, [5, 6, 7, 8 + (seq % 20)])];
  let last = 0;
  const results: unknown[] = [];
  for (let isAlive = true; isAlive && last < 500;)
    await client.run(...bodyOf(a, ++last)).then(
      (result) => results.push(result),
      () => (isAlive = false),
    );
  expect(await gone).toEqual([null, 'SIGKILL']);
  const snapshots = join(places.server, 'models', fileName(a));
  const partial = (await readdir(snapshots)).filter((name) => name.endsWith('.partial'));
  expect(partial).toHaveLength(1);
  const written = await readdir(join(snapshots, partial[0]));
  expect(written).toContain('adapter_model.safetensors');
  expect(written).not.toContain('optimizer.safetensors');
  const begun = join(places.server, 'checkpoints', fileName(a), 'weights', 'one.partial');
  await mkdir(begun, { recursive: true }); // as a process leaves it that was killed within save_weights
  for (const file of ['base.json', join('results', 'x.bin')])
    await writeFile(join(places.server, `${file}.${child.pid}.tmp`), '');
  await withServer(async (restarted) => {
    const left = await readdir(places.server, { recursive: true });
    expect(left.filter((name) => /\.(tmp|partial)($|\/)/.test(name))).toEqual([]);
    const b = await model(restarted, id, 1);
    for (let seq = 1; seq <= last + 2; seq++) {
      const result = await restarted.run(...bodyOf(a, seq));
      expect(await restarted.run(...bodyOf(b, seq))).toEqual(result);
      if (seq <= results.length) expect(result).toEqual(results[seq - 1]);
    }
  });
});
