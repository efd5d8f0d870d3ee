import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { modelDirectory } from './hub-model.js';
import { newFolder } from '@bowyer/testing';

const SHA = 'c0ffee'.padEnd(40, '0');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const gitSha = (bytes: Buffer) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

const weights = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));
const files: Record<string, Buffer> = {
  'config.json': Buffer.from('{"model_type":"gpt2"}'),
  'tokenizer.json': Buffer.from('{}'),
  'model.safetensors': weights,
  'pytorch_model.bin': Buffer.from('the same once more'),
  'README.md': Buffer.from('# a model'),
};
const isLarge = (path: string) => /\.(safetensors|bin)$/.test(path);

/** Answers as huggingface.co does: /api/models/…/revision, /api/models/…/tree, and /resolve with ranges. */
class Hub {
  readonly requests: { path: string; range?: string; authorization?: string }[] = [];
  /** Cuts the connection after this number of bytes of each answer with weights. */
  dropAfter = Infinity;
  damaged = false;
  /** Weights are sent when this is fulfilled. */
  gate: Promise<unknown> = Promise.resolve();
  token: string | null = null;
  #server!: Server;

  async start(): Promise<string> {
    this.#server = createServer((request, response) => this.#answer(request, response));
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url!, 'http://hub').pathname;
    const { range, authorization } = request.headers;
    this.requests.push({ path, range, authorization });
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (this.token !== null && authorization !== `Bearer ${this.token}`)
      return void json(401, { error: 'Unauthorized' });
    if (path === '/api/models/acme/tiny/revision/main')
      return void json(200, {
        _id: '1',
        id: 'acme/tiny',
        sha: SHA,
        private: false,
        downloads: 0,
        likes: 0,
        gated: false,
      });
    if (path === `/api/models/acme/tiny/tree/${SHA}`) return void json(200, this.#tree());
    const file = path.startsWith(`/acme/tiny/resolve/${SHA}/`) ? files[path.split('/').at(-1)!] : undefined;
    if (file === undefined) return void json(404, { error: 'Repository not found' });
    if (file === weights) void this.gate.then(() => this.#send(response, file, range));
    else this.#send(response, file, range);
  }

  #tree() {
    return Object.entries(files).map(([path, bytes]) => ({
      type: 'file',
      path,
      size: bytes.length,
      oid: isLarge(path) ? 'f'.repeat(40) : gitSha(bytes),
      ...(isLarge(path) && { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 130 } }),
    }));
  }

  #send(response: ServerResponse, file: Buffer, range: string | undefined): void {
    const start = range ? Number(/bytes=(\d+)-/.exec(range)![1]) : 0;
    const part = Buffer.from(file.subarray(start));
    if (this.damaged && file === weights) part[part.length - 1] ^= 1;
    response.writeHead(range ? 206 : 200, { 'content-length': part.length });
    if (file !== weights || part.length <= this.dropAfter) return void response.end(part);
    response.write(part.subarray(0, this.dropAfter), () => setTimeout(() => response.destroy(), 20));
  }
}

let home: string;
let hub: Hub;
const before = { ...process.env };
beforeEach(async () => {
  home = newFolder();
  hub = new Hub();
  for (const name of ['HF_TOKEN', 'HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'HF_HUB_OFFLINE']) delete process.env[name];
  process.env.HF_HOME = home;
  process.env.HF_ENDPOINT = await hub.start();
});
afterEach(async () => {
  process.env = { ...before };
  await hub.stop();
});

const repository = () => join(home, 'hub', 'models--acme--tiny');
const messageOf = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message);

test('what a model needs comes into the layout of the hub cache, once', async () => {
  const steps: number[][] = [];
  const dir = await modelDirectory('acme/tiny', { progress: (bytes, total) => steps.push([bytes, total]) });
  expect(dir).toBe(join(repository(), 'snapshots', SHA));
  expect(readdirSync(dir).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  expect(readFileSync(join(dir, 'model.safetensors')).equals(weights)).toBe(true);
  expect(lstatSync(join(dir, 'config.json')).isSymbolicLink()).toBe(true);
  expect(readlinkSync(join(dir, 'model.safetensors'))).toBe(join('..', '..', 'blobs', sha256(weights)));
  expect(readFileSync(join(repository(), 'refs', 'main'), 'utf8')).toBe(SHA);
  const total = weights.length + files['config.json'].length + files['tokenizer.json'].length;
  expect(steps.at(-1)).toEqual([total, total]);

  hub.requests.length = 0;
  expect(await modelDirectory('acme/tiny')).toBe(dir);
  expect(hub.requests.filter(({ path }) => path.includes('/resolve/'))).toEqual([]);
});

test('a connection that breaks continues from where it broke', async () => {
  hub.dropAfter = 120_000;
  const dir = await modelDirectory('acme/tiny', { pauseSeconds: 0.01 });
  expect(readFileSync(join(dir, 'model.safetensors')).equals(weights)).toBe(true);
  const ranges = hub.requests.filter(({ path }) => path.endsWith('safetensors')).map(({ range }) => range);
  expect(ranges).toEqual([undefined, 'bytes=120000-', 'bytes=240000-']);
});

test('an incomplete download of another run is continued', async () => {
  const blobs = join(repository(), 'blobs');
  mkdirSync(blobs, { recursive: true });
  writeFileSync(join(blobs, `${sha256(weights)}.incomplete`), weights.subarray(0, 1000));
  await modelDirectory('acme/tiny');
  expect(hub.requests.find(({ path }) => path.endsWith('safetensors'))).toMatchObject({ range: 'bytes=1000-' });
});

test('bytes with another checksum are refused and not kept', async () => {
  hub.damaged = true;
  expect(await messageOf(modelDirectory('acme/tiny'))).toMatch(
    new RegExp(
      `^Cannot get acme/tiny@main from the hub\n  'model.safetensors' was damaged in transfer: its SHA-256 should be ${sha256(weights)}, it is [0-9a-f]{64}\n`,
    ),
  );
  expect(readdirSync(join(repository(), 'blobs'))).not.toContain(`${sha256(weights)}.incomplete`);
  expect(existsSync(join(repository(), 'refs'))).toBe(false);
});

test('the token goes to the hub and into no message', async () => {
  hub.token = 'hf_secret';
  process.env.HF_TOKEN = 'hf_wrong';
  expect(await messageOf(modelDirectory('acme/tiny'))).toBe(
    `Cannot get acme/tiny@main from the hub\n  ${process.env.HF_ENDPOINT} refused access (401): the model does not exist, or it is private or gated\n` +
      '  check the name; for a gated model, accept its terms on the site and set HF_TOKEN in the environment\n' +
      `  did you mean a local folder? There is no 'acme/tiny' in ${process.cwd()}`,
  );
  process.env.HF_TOKEN = 'hf_secret';
  await modelDirectory('acme/tiny');
  expect(hub.requests.at(-1)!.authorization).toBe('Bearer hf_secret');
});

test('an unknown model or revision', async () => {
  expect(await messageOf(modelDirectory('acme/tiny@v9'))).toContain('has no such model or revision (404)');
});

test('without a network there is one clear message; a cached model is used, with a notice', async () => {
  const dir = await modelDirectory('acme/tiny');
  process.env.HF_ENDPOINT = 'http://127.0.0.1:9'; // the discard port: nobody listens
  const notices: string[] = [];
  expect(await modelDirectory('acme/tiny', { notice: (line) => notices.push(line) })).toBe(dir);
  expect(notices).toEqual(['http://127.0.0.1:9 cannot be reached; acme/tiny@main is used as downloaded earlier']);
  const other = await messageOf(modelDirectory('acme/other'));
  expect(other).toContain('Cannot get acme/other@main from the hub\n  http://127.0.0.1:9 cannot be reached: ');
  expect(other).toContain(`\n  did you mean a local folder? There is no 'acme/other' in ${process.cwd()}`);
  expect(await modelDirectory('acme/tiny', { offline: true })).toBe(dir);
  expect(await modelDirectory(`acme/tiny@${SHA}`, { offline: true })).toBe(dir);
  process.env.HF_HUB_OFFLINE = '1';
  expect(await modelDirectory('acme/tiny')).toBe(dir);
  expect(await messageOf(modelDirectory('acme/other'))).toContain('and offline mode is on');
});

test('a directory is itself', async () => {
  expect(await modelDirectory(home)).toBe(home);
  expect(await modelDirectory('/no/such/folder')).toBe('/no/such/folder');
});

/** Runs modelDirectory in a process of its own, which prints its directory and its notices, a line each. */
function fetchElsewhere(onLine: (line: string) => void): Promise<{ code: number | null; lines: string[] }> {
  const script = `import { modelDirectory } from ${JSON.stringify(new URL('./hub-model.ts', import.meta.url).href)};
    console.log(await modelDirectory('acme/tiny', { notice: (line) => console.log(line) }));`;
  const sources = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, sources, { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.endsWith('\n')) onLine(text.trimEnd().split('\n').at(-1)!);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, lines: text.trimEnd().split('\n') })));
}

test('two processes that want the same model: one fetches it, the other waits and takes it', async () => {
  let open = () => {};
  hub.gate = new Promise<void>((resolve) => (open = resolve));
  const waiting =
    /^'model.safetensors' of acme\/tiny is being downloaded by process \d+ on \S+ \(since .+\): waiting for it$/;
  const ended = await Promise.all([0, 1].map(() => fetchElsewhere((line) => waiting.test(line) && open())));
  const dir = join(repository(), 'snapshots', SHA);
  expect(ended.map(({ code, lines }) => [code, lines.at(-1)])).toEqual([
    [0, dir],
    [0, dir],
  ]);
  expect(ended.flatMap(({ lines }) => lines)).toContainEqual(expect.stringMatching(waiting));
  const paths = hub.requests.map(({ path }) => path).filter((path) => path.includes('/resolve/'));
  expect(paths).toHaveLength(3); // config, tokenizer and weights, once each
  expect(readFileSync(join(dir, 'model.safetensors')).equals(weights)).toBe(true);
  expect(readdirSync(join(repository(), 'blobs')).filter((name) => name.includes('.'))).toEqual([]);
});
