// What reads the files and requests of strangers. Each target has valid inputs and a reader, which must end soon: with a value, or with
// an error that says what is wrong.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openSafetensors, readLlama2c, readPretrainedConfig, readPyTorchStateDict } from '@bowyer/checkpoints';
import { compose } from '@bowyer/config';
import { maximum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import {
  architectureFor,
  chatTemplate,
  LanguageModel,
  loadTokenizer,
  openAdapterDirectory,
  wordLevelTokenizer,
} from '@bowyer/models';
import { ModelServer, serveEnv, SteppedTokenizer } from '@bowyer/serving';
import { readConversations } from '../../src/demonstrations/conversations.js';
import { readEpisodes } from '../../src/demonstrations/read-episodes.js';
import { CheckpointStore } from '../../src/run/checkpoint-store.js';
import { repository } from '../command-line.js';
import { damageBytes, damageJson } from './mutations.js';

export interface Target {
  /** Valid inputs. */
  seeds: readonly Uint8Array[];
  /** Inputs that are read at once; one if not given. */
  lanes?: number;
  damage: (seed: Uint8Array, rng: Rng) => Uint8Array;
  read: (input: Uint8Array) => Promise<unknown>;
  close?: () => Promise<void>;
}

/** @param folder an empty one for the target's files */
type OpenTarget = (folder: string) => Target | Promise<Target>;

const packages = join(repository, 'packages');
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
/** As often within the JSON as anywhere in its bytes. */
const damageText = (seed: Uint8Array, rng: Rng) =>
  rng.uniform() < 0.5 ? damageBytes(seed, rng) : Buffer.from(damageJson(Buffer.from(seed).toString(), rng));
const damageLines = (seed: Uint8Array, rng: Rng) => {
  const lines = Buffer.from(seed).toString().split('\n');
  const at = rng.integer(0, lines.length - 1);
  lines[at] = Buffer.from(damageText(Buffer.from(lines[at]), rng)).toString();
  return Buffer.from(lines.join('\n'));
};

/** A target whose input is one file. */
const file =
  (name: string, seeds: readonly Uint8Array[], damage: Target['damage'], read: (path: string) => unknown): OpenTarget =>
  (folder) => ({
    seeds,
    damage,
    read: async (input) => {
      writeFileSync(join(folder, name), input);
      return read(join(folder, name));
    },
  });

const stateDicts = ['gpt2-module-bf16', 'gpt2-old-format', 'old-format', 'parameters', 'state-dict'].map((name) =>
  readFileSync(join(packages, `checkpoints/test/fixtures/pickles/${name}.pt`)),
);

const adapter = join(packages, 'models/test/adapter-fixtures/llama-list');

async function readTensors(folder: string): Promise<void> {
  const source = await openSafetensors(folder);
  try {
    for (const name of source.entries.keys()) await source.read(name, { requireFinite: true });
  } finally {
    await source.close();
  }
}

const safetensors: OpenTarget = (folder) => {
  const whole = readFileSync(join(adapter, 'adapter_model.safetensors'));
  const length = 8 + Number(whole.readBigUInt64LE(0));
  return {
    seeds: [whole],
    // The header is what can mislead a reader.
    damage: (seed, rng) =>
      rng.uniform() < 0.2
        ? damageBytes(seed, rng)
        : withLength(Buffer.from(damageText(seed.subarray(8, length), rng)), seed.subarray(length)),
    read: async (input) => {
      writeFileSync(join(folder, 'model.safetensors'), input);
      await readTensors(folder);
    },
  };
};

function withLength(header: Uint8Array, data: Uint8Array): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, data]);
}

/** Width 8, hidden 12, one layer of two heads, 10 tokens, 4 positions. */
function smallLlama2c(): Uint8Array {
  const bytes = Buffer.alloc(28 + 4 * 664);
  [8, 12, 1, 2, 2, 10, 4].forEach((size, i) => bytes.writeInt32LE(size, 4 * i));
  return bytes;
}

const llama = {
  ...{ model_type: 'llama', hidden_size: 16, intermediate_size: 20, num_hidden_layers: 2, num_attention_heads: 2 },
  ...{ vocab_size: 40, max_position_embeddings: 96, rope_theta: 1e4, rms_norm_eps: 1e-5, architectures: ['X'] },
};
const gemma = {
  ...{ ...llama, model_type: 'gemma3_text', num_hidden_layers: 4, head_dim: 8, num_key_value_heads: 1 },
  ...{
    sliding_window: 8,
    layer_types: ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'],
    query_pre_attn_scalar: 8,
  },
  rope_parameters: { full_attention: { rope_type: 'default', rope_theta: 1e6 } },
};
const gpt2 = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64, vocab_size: 40 };

const tokenizers = join(packages, 'models/test/tokenizer-fixtures');
const smallTokenizers = ['gpt2', 'llama2', 't5', 'bert-cased', 'punctuation'].map((name) => {
  const { definition } = JSON.parse(readFileSync(join(tokenizers, `${name}.json`), 'utf8')) as { definition: object };
  return bytesOf(definition);
});

const config = `defaults:\n  - model: small\n  - _self_\n\nrate: 1e-3\nname: \${model.kind}-\${rate}\nlist: [1, two, null]\ntext: |\n  a\n  b\n`;
const yaml: OpenTarget = (folder) => {
  mkdirSync(join(folder, 'model'));
  writeFileSync(join(folder, 'model', 'small.yaml'), '# @package model\nkind: small\nsize: 3\n');
  return {
    seeds: [Buffer.from(config)],
    damage: damageBytes,
    read: async (input) => {
      writeFileSync(join(folder, 'config.yaml'), input);
      compose({ configDirs: [folder], configName: 'config', overrides: [] }).resolve();
    },
  };
};
const overrides: OpenTarget = (folder) => {
  writeFileSync(join(folder, 'config.yaml'), 'rate: 1\nnode: {a: 1, b: [1, 2]}\n');
  const seeds = ['rate=2', '+new.key="a, b"', '~node.a', 'node.b=[1,{x:y}]', "++k='a b'", 'rate=${node.a}', 'rate=1e3'];
  return {
    seeds: seeds.map((text) => Buffer.from(text)),
    damage: damageBytes,
    read: async (input) =>
      compose({ configDirs: [folder], configName: 'config', overrides: [Buffer.from(input).toString()] }).resolve(),
  };
};

const talk = { messages: [{ role: 'user', content: 'is it' }, { role: 'assistant', content: 'yes' }] }; // prettier-ignore
const turn = { action: 'is it a dog?', reply: ' No.\n', reward: -1, terminated: false, truncated: false, info: {} };
const episode = { episode: 0, iteration: 0, seed: 1, split: 'test', opening: 'Questions:\n', turns: [turn, turn] };
const lines = (...values: object[]) => Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));

const checkpoints: OpenTarget = async (folder) => {
  const whole = join(folder, 'whole');
  await new CheckpointStore(whole).save(3, { nextIteration: 3, fileLengths: {}, best: null, state: {} }, async (into) =>
    writeFileSync(join(into, 'policy.safetensors'), 'weights'),
  );
  const copy = join(folder, 'copy');
  const [name] = readdirSync(whole);
  return {
    seeds: ['manifest.json', 'progress.json'].map((file) => readFileSync(join(whole, name, file))),
    damage: damageText,
    read: async (input) => {
      cpSync(whole, copy, { recursive: true });
      const isProgress = Buffer.from(input).includes('nextIteration');
      writeFileSync(join(copy, name, isProgress ? 'progress.json' : 'manifest.json'), input);
      await new CheckpointStore(copy).newest(() => undefined);
    },
  };
};

const json = { 'content-type': 'application/json', connection: 'close' };
function request(method: string, path: string, body?: unknown, headers: Record<string, string> = json): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': String(Buffer.byteLength(text)) });
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${text}`); // prettier-ignore
}

/** Half of the damage is in the JSON of the body, with the length that it has then. */
function damageRequest(seed: Uint8Array, rng: Rng): Uint8Array {
  const text = Buffer.from(seed).toString();
  const [head, body] = text.split('\r\n\r\n');
  if (body === '' || rng.uniform() < 0.4) return damageBytes(seed, rng);
  const damaged =
    rng.uniform() < 0.7 ? damageJson(body, rng) : Buffer.from(damageBytes(Buffer.from(body), rng)).toString();
  return Buffer.from(`${head.replace(/content-length: \d+/, `content-length: ${Buffer.byteLength(damaged)}`)}\r\n\r\n${damaged}`); // prettier-ignore
}

/** How long a client waits for more of an answer, or for one to bytes that are no whole request, in milliseconds. */
const PATIENCE = 40;

/** Connections at once, so that most of the patience is not idle. */
const LANES = 16;

/** How long for the answer to a whole request: on a busy machine the first one takes seconds. */
const LIMIT = 60_000;

/** Whether a server has all it needs for an answer. */
function isWhole(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const lengths = [...text.slice(0, Math.max(end, 0)).matchAll(/^content-length:[ \t]*(\d+)[ \t]*\r?$/gim)];
  return end >= 0 && text.length - end - 4 >= maximum([0, ...lengths.map(([, length]) => Number(length))]);
}

/**
 * Sends bytes as they are, and leaves when a request that is not whole gets no answer.
 *
 * @throws if the server refuses them, does not answer, answers with a fault of its own, or does not close the connection
 */
function send(origin: string, bytes: Uint8Array): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let answer = '';
    let leave: NodeJS.Timeout | undefined;
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes);
      leave = setTimeout(() => socket.end(), isWhole(bytes) ? LIMIT : PATIENCE);
    });
    socket.setEncoding('latin1').on('data', (piece: string) => {
      answer += piece;
      clearTimeout(leave);
      leave = setTimeout(() => socket.end(), PATIENCE); // the connection is kept open where `connection: close` is damaged
    });
    socket.setTimeout(LIMIT, () => socket.destroy(new Error('the server did not end the connection')));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(leave);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      const fault = statuses.find((status) => status >= 500 && status !== 503 && status !== 501);
      if (statuses.length === 0 && isWhole(bytes)) reject(new Error('the server did not answer'));
      else if (fault !== undefined) reject(new Error(`the server answered ${fault}: ${answer.slice(0, 500)}`));
      else if (statuses.some((status) => status < 300)) resolve();
      else reject(new Error(`refused: ${statuses.join(', ') || 'no answer'}`));
    });
  });
}

const modelServer: OpenTarget = async () => {
  const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no .\n']);
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.create({ device, config: llama, tokenizer, rng: new Rng(5) });
  const stepped = new SteppedTokenizer(tokenizer);
  const template = chatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}', stepped);
  const server = await ModelServer.listen({
    ...{ model, tokenizer: stepped, name: 'tiny', template, host: '127.0.0.1', port: 0, apiKey: null },
    ...{ seed: 1, slots: 4, maxQueued: 64, onFault: () => undefined },
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 2 },
  });
  const messages = [{ role: 'user', content: 'is it a dog ?' }];
  return {
    seeds: [
      request('POST', '/v1/chat/completions', { messages, max_tokens: 2, temperature: 0.5, top_p: 0.9, stop: ['.'] }),
      request('POST', '/v1/completions', { prompt: ['is it', 'a cat'], n: 2, max_tokens: 2, logprobs: 1, seed: 3 }),
      request('POST', '/v1/completions', { prompt: [1, 2, 3], max_tokens: 0, echo: true, logprobs: 0, stream: false }),
      request('GET', '/v1/models'),
      request('GET', '/health'),
    ],
    damage: damageRequest,
    lanes: LANES,
    read: (input) => send(server.url, input),
    close: async () => {
      await server.close();
      await device.close();
    },
  };
};

const envServer: OpenTarget = async () => {
  const server = await serveEnv({
    ...{ name: 'maze', options: {}, host: '127.0.0.1', port: 0, maxInstances: 1000, idleMs: 1000 },
    onFault: () => undefined,
  });
  const { pathname } = new URL(`${server.url}/`);
  const at = (name: string) => `${pathname}${name}`;
  return {
    seeds: [
      request('POST', at('create'), {}),
      request('POST', at('reset'), { id: 0, game: 1 }),
      request('POST', at('step'), { id: 0, action: 'move up' }),
      request('GET', at('observation?id=0')),
    ],
    damage: damageRequest,
    lanes: LANES,
    read: (input) => send(server.url, input),
    close: () => server.close(),
  };
};

/** Every target by name. Valid inputs come from the fixtures of other tests. */
export const targets: Readonly<Record<string, OpenTarget>> = {
  safetensors,
  'PyTorch pickle': file('model.pt', stateDicts, damageBytes, (path) => readPyTorchStateDict(path)), // prettier-ignore
  'llama2.c': file('model.bin', [smallLlama2c()], damageBytes, readLlama2c),
  'config.json': (folder) => {
    writeFileSync(join(folder, 'model.safetensors'), '');
    return {
      seeds: [llama, gemma, gpt2].map(bytesOf),
      damage: damageText,
      read: async (input) => {
        writeFileSync(join(folder, 'config.json'), input);
        architectureFor(await readPretrainedConfig(folder));
      },
    };
  },
  'tokenizer.json': (folder) => ({
    seeds: smallTokenizers,
    damage: damageText,
    read: async (input) => {
      writeFileSync(join(folder, 'tokenizer.json'), input);
      (await loadTokenizer(folder)).encode('Is it a dog? Ünïcode \u4e2d 12');
    },
  }),
  'adapter_config.json': (folder) => {
    mkdirSync(join(folder, 'base'));
    const written = JSON.parse(readFileSync(join(adapter, 'adapter_config.json'), 'utf8')) as object;
    return {
      seeds: [bytesOf({ ...written, base_model_name_or_path: 'base' })],
      damage: damageText,
      read: async (input) => {
        writeFileSync(join(folder, 'adapter_config.json'), input);
        await openAdapterDirectory(folder);
      },
    };
  },
  YAML: yaml,
  overrides,
  'conversations.jsonl': file('talks.jsonl', [lines(talk, talk)], damageLines, readConversations),
  'episodes.jsonl': file('episodes.jsonl', [lines(episode, episode)], damageLines, readEpisodes),
  'checkpoint of a run': checkpoints,
  'serve_model over HTTP': modelServer,
  'serve_env over HTTP': envServer,
};
