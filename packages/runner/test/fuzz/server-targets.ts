// The servers, as targets of damaged requests.
import { connect } from 'node:net';
import { maximum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { ModelServer, serveEnv, serveOpenEnv, SteppedTokenizer } from '@bowyer/serving';
import { openEnvFrames } from './frame-target.js';
import { damageBytes, damageJson } from './mutations.js';
import { llama, type OpenTarget } from './target.js';

const json = { 'content-type': 'application/json', connection: 'close' };
function request(method: string, path: string, body?: unknown, headers: Record<string, string> = json): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': String(Buffer.byteLength(text)) });
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${head.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${text}`,
  );
}

/** Half of the damage is in the JSON of the body, with the length that it has then. */
function damageRequest(seed: Uint8Array, rng: Rng): Uint8Array {
  const text = Buffer.from(seed).toString();
  const [head, body] = text.split('\r\n\r\n');
  if (body === '' || rng.uniform() < 0.4) return damageBytes(seed, rng);
  const damaged =
    rng.uniform() < 0.7 ? damageJson(body, rng) : Buffer.from(damageBytes(Buffer.from(body), rng)).toString();
  return Buffer.from(
    `${head.replace(/content-length: \d+/, `content-length: ${Buffer.byteLength(damaged)}`)}\r\n\r\n${damaged}`,
  );
}

/** How long a client waits for more of an answer, or for one to bytes that are not a whole request, in milliseconds. */
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
    model,
    tokenizer: stepped,
    name: 'tiny',
    template,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 4,
    maxQueued: 64,
    onFault: () => undefined,
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
    name: 'maze',
    options: {},
    host: '127.0.0.1',
    port: 0,
    maxInstances: 1000,
    idleMs: 1000,
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

const openEnvServer: OpenTarget = async () => {
  const server = await serveOpenEnv({
    name: 'maze',
    options: {},
    host: '127.0.0.1',
    port: 0,
    maxInstances: 1000,
    idleMs: 1000,
    onFault: () => undefined,
  });
  return {
    seeds: [
      request('POST', '/reset', { seed: 3, episode_id: 'a' }),
      request('POST', '/reset', {}),
      request('POST', '/mcp', { jsonrpc: '2.0', method: 'tools/list', id: 3 }),
      request('GET', '/schema'),
    ],
    damage: damageRequest,
    lanes: LANES,
    read: (input) => send(server.url, input),
    close: () => server.close(),
  };
};

export const serverTargets: Readonly<Record<string, OpenTarget>> = {
  'serve_model over HTTP': modelServer,
  'serve_env over HTTP': envServer,
  'OpenEnv over HTTP': openEnvServer,
  'OpenEnv over WebSocket': openEnvFrames,
};
