// The server of the Tinker API as a target of damaged requests in JSON and protobuf. Each accepted request is run, and its result
// is fetched.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { SteppedTokenizer } from '@bowyer/serving';
import { wordLevelTokenizer } from '@bowyer/text';
import { openTrainingBase, TinkerServer } from '@bowyer/tinker';
import { modelLimits } from './model-targets.js';
import { damageRequest, Faults, request, send } from './requests.js';
import { llama, type OpenTarget } from './target.js';

const quotas = {
  models: 3,
  modelBytes: 2 ** 28,
  maxRank: 4,
  requestTokens: 2000,
  datums: 64,
  bodyBytes: 2 ** 20,
  storageBytes: 2 ** 24,
  resultBytes: 2 ** 20,
};

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  request('POST', `/api/v1/${path}`, body, headers);
const contentOf = (answer: string): Record<string, unknown> =>
  JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;

const prompt = { chunks: [{ type: 'encoded_text', tokens: [5, 6, 7] }] };
const tensor = (data: number[], dtype: string) => ({ data, dtype, shape: [data.length] });
const rows = { sparse_crow_indices: [0, 1, 2, 3], sparse_col_indices: [0, 1, 0] };
const sparse = { data: [7, 8, 9], dtype: 'int64', shape: [3, 2], ...rows };
const targets = { target_tokens: tensor([6, 7, 8], 'int64') };
const weighted = { ...targets, weights: tensor([0, 1, 0.5], 'float32') };
const compared = { ...targets, logprobs: tensor([-1, -2, -3], 'float32'), advantages: tensor([1, 0, -1], 'float32') };
const lossInput = (loss_fn: string, loss_fn_inputs: object, more: object = {}) => ({
  forward_backward_input: { data: [{ model_input: prompt, loss_fn_inputs }], loss_fn, ...more },
});

const jsonSeeds = (session_id: string, model_id: string): Buffer[] => {
  const of = (body: object) => ({ model_id, ...body });
  return [
    post('create_session', { tags: ['a'], user_metadata: { b: 1 }, sdk_version: '0.26.2' }),
    post('create_model', { session_id, model_seq_id: 0, base_model: 'tiny', lora_config: { rank: 2, seed: 1 } }),
    post('forward_backward', of(lossInput('cross_entropy', weighted))),
    post(
      'forward_backward',
      of(lossInput('cross_entropy', { target_tokens: sparse, weights: { ...sparse, dtype: 'float32' } })),
    ),
    post('forward_backward', of(lossInput('ppo', compared, { loss_fn_config: { clip_low_threshold: 0.8 } }))),
    post('forward', of({ forward_input: lossInput('importance_sampling', compared).forward_backward_input })),
    post('optim_step', of({ adam_params: { learning_rate: 1e-3, beta1: 0.9, weight_decay: 0, grad_clip_norm: 1 } })),
    post('save_weights', of({ path: 'a', ttl_seconds: 60, overwrite: true })),
    post('save_weights_for_sampler', of({ sampling_session_seq_id: 0 })),
    post('asample', { base_model: 'tiny', prompt, num_samples: 2, sampling_params: { max_tokens: 2, stop: [9] } }),
    post('asample', { base_model: 'tiny', prompt, prompt_logprobs: true, topk_prompt_logprobs: 2, seq_id: null }),
    post('weights_info', { tinker_path: `tinker://${model_id}/weights/a` }),
    request('GET', '/api/v1/training_runs?limit=2&offset=0'),
    request('GET', `/api/v1/training_runs/${model_id}/checkpoints`),
  ];
};

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
const field = (number: number, ...content: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Uint8Array.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
};
const number = (at: number, value: number) => Buffer.from([at << 3, ...varint(value)]);
const text = (at: number, value: string) => field(at, Buffer.from(value));
const int32s = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);
const int64s = (...values: number[]) => Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer);
const float32s = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);

/** Encodes a ForwardBackwardRequest with its field numbers. */
function message(modelId: string, loss: string, tensors: Readonly<Record<string, Buffer>>): Buffer {
  const inputs = Object.entries(tensors).map(([name, content]) => field(2, text(1, name), field(2, content)));
  const datum = field(3, field(1, field(1, field(1, int32s(5, 6, 7)))), ...inputs);
  return Buffer.concat([text(1, modelId), datum, text(4, loss)]);
}

/** Encodes a frame of one raw block. */
const zstd = (content: Uint8Array): Buffer => {
  const header = (content.length << 3) | 1;
  const block = [header & 255, (header >> 8) & 255, header >> 16];
  return Buffer.concat([Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, ...block]), content]);
};

/**
 * Compressed by the program `zstd`: blocks of sequences, which a raw block does not contain. The content is the JSON of a request
 * for a client's configuration.
 */
const compressed = Buffer.from(
  'KLUv/QRo7QEAZAJ7InNka192ZXJzaW9uIjogIjAuMjYuMC1hYmMgMTIzNDU2NzgifQogsBPrLsyCdiGDAg9kUOAVZFggeSj+jfE=',
  'base64',
);

const messageSeeds = (_: string, modelId: string): Buffer[] => {
  const protobuf = { 'content-type': 'application/x-protobuf' };
  const dense = (values: Buffer, dtype: number, length = 3) =>
    Buffer.concat([field(1, values), number(3, dtype), field(4, Buffer.from([length]))]);
  const target = dense(int64s(6, 7, 8), 2);
  const indices = [field(2, int64s(0, 1, 2, 3)), field(3, int64s(0, 1, 0))];
  const sparse = (values: Buffer, dtype: number) =>
    Buffer.concat([field(2, field(1, values), ...indices), number(3, dtype), field(4, Buffer.from([3, 2]))]);
  const sparseInputs = { target_tokens: sparse(int64s(7, 8, 9), 2), weights: sparse(float32s(0, 1, 0.5), 1) };
  const weights = dense(float32s(0, 1, 0.5), 1);
  const plain = message(modelId, 'cross_entropy', { target_tokens: target, weights });
  const logprobs = dense(float32s(-1, -2, -3), 1);
  return [
    post('forward_backward', plain, protobuf),
    post('forward_backward', message(modelId, 'cross_entropy', sparseInputs), protobuf),
    post(
      'forward_backward',
      message(modelId, 'ppo', { target_tokens: target, logprobs, advantages: weights }),
      protobuf,
    ),
    post('forward_backward', zstd(plain), { ...protobuf, 'content-encoding': 'zstd' }),
    post('client/config', compressed, { 'content-encoding': 'zstd' }),
  ];
};

const isFailureOfServer = (reply: Record<string, unknown>): boolean => reply.category === 'server';

/** A client that uses one model after another: a sequence number that is too high makes a model wait for the ones before it. */
class Client {
  session = '';
  model = '';
  #models = 1000; // all ids have the same length
  #last = 0;

  constructor(
    readonly url: string,
    private readonly faults: Faults,
  ) {}

  async open(): Promise<void> {
    const body = { tags: [], user_metadata: null, sdk_version: '0.26.2' };
    this.session = String((await this.#reply('create_session', body)).session_id);
    await this.newModel();
  }

  async newModel(): Promise<void> {
    if (this.model !== '') await this.run(post('unload_model', { model_id: this.model }));
    const lora_config = { rank: 2, seed: 1 };
    const body = { session_id: this.session, model_seq_id: this.#models++, base_model: 'tiny', lora_config };
    this.model = String((await this.#reply('create_model', body)).model_id);
    this.#last = 0;
  }

  /** Sends a request, and waits for its result. @throws if it fails */
  async run(bytes: Uint8Array): Promise<void> {
    const { request_id: id } = contentOf(await this.faults.during(send(this.url, bytes)));
    if (typeof id !== 'string' || (await this.#isAhead(id))) return;
    const reply = await this.#result(id);
    if (isFailureOfServer(reply)) throw new Error(`the server answered ${JSON.stringify(reply)}`);
    if (typeof reply.error === 'string') throw new Error(reply.error);
  }

  /** Checks whether the request waits for others that never come. If so, another model replaces its model. */
  async #isAhead(id: string): Promise<boolean> {
    const [model, seq] = [id.slice(0, id.lastIndexOf(':')), Number(id.slice(id.lastIndexOf(':') + 1))];
    if (model !== this.model || !Number.isInteger(seq)) return false;
    const isAhead = seq > this.#last + 1;
    this.#last = Math.max(this.#last, seq);
    if (isAhead) await this.newModel();
    return isAhead;
  }

  async #result(id: string): Promise<Record<string, unknown>> {
    for (let polls = 0; polls < 60; polls++) {
      const reply = contentOf(await this.faults.during(send(this.url, post('retrieve_future', { request_id: id }))));
      if (reply.type !== 'try_again') return reply;
    }
    throw new Error(`the server did not answer the request ${id}`);
  }

  async #reply(path: string, body: object): Promise<Record<string, unknown>> {
    const reply = contentOf(await send(this.url, post(path, body)));
    return typeof reply.request_id === 'string' ? this.#result(reply.request_id) : reply;
  }
}

const tinkerServer =
  (seedsOf: (session: string, model: string) => Buffer[]): OpenTarget =>
  async (folder) => {
    const [modelFolder, own] = [join(folder, 'tiny'), join(folder, 'server')];
    const device = await openDevice({ device: 'cpu', threads: 1 });
    const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no .\n']);
    const model = await LanguageModel.create({ device, config: llama, tokenizer, rng: new Rng(5) });
    mkdirSync(own);
    await model.save(modelFolder);
    await model.release();
    const adapterBank = { places: 2, rank: 4, targetModules: 'all', dirs: [] } as const;
    const base = await openTrainingBase({ model: modelFolder, device, adapterBank });
    const faults = new Faults();
    const server = await TinkerServer.listen({
      ...modelLimits,
      base,
      folder: own,
      modelFolder,
      quotas,
      tokenizer: new SteppedTokenizer(base.model.tokenizer),
      template: null,
      pollMs: 1000,
      onFault: faults.add,
    });
    const client = new Client(server.url, faults);
    await client.open();
    const first = client.model;
    const seeds = seedsOf(client.session, first);
    return {
      seeds,
      damage: damageRequest,
      read: (input) =>
        client.run(Buffer.from(Buffer.from(input).toString('latin1').replaceAll(first, client.model), 'latin1')),
      close: async () => {
        await server.close();
        await base.close();
        await device.close();
      },
    };
  };

export const tinkerTargets: Readonly<Record<string, OpenTarget>> = {
  'Tinker in JSON': tinkerServer(jsonSeeds),
  'Tinker in protobuf': tinkerServer(messageSeeds),
};
