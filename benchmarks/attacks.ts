// Runs the inputs with which issue 16 attacked the command line and the servers, and prints for each the exit code, the CPU
// seconds of the process and the first sentence of its output. The exit code is 1 if a command does not end as expected, or with
// a stack trace. Linux; the read-only disk needs the right to mount.
//   nice node --conditions=source --import tsx benchmarks/attacks.ts [PATTERN_OF_NAMES]
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtProgram } from '@bowyer/testing';
import { repository, run } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';

const pattern = new RegExp(process.argv[2] ?? '');
const program = builtProgram();
const directory = mkdtempSync(join(tmpdir(), 'bowyer-attacks-'));
const at = (name: string) => join(directory, name);
const file = (name: string, content: string | Uint8Array) => (writeFileSync(at(name), content), at(name));

const game = ['--config-name', 'archer_20q', 'env=tabular', 'preset=exact_game', 'slots=4', 'threads=1', 'test_size=4'];
const tiny = [...game, 'algorithm=bc', 'demonstrations.count=48', 'policy.n_embd=16', 'epochs=1', 'eval_size=4'];
const agent = at('agent');
const model = join(agent, 'checkpoints/best');
const to = (name: string) => `save_path=${at(name)}`;
const generate = (input: string) => [
  '--config-name',
  'generate',
  `model=${model}`,
  `input=${input}`,
  `output=${at('texts.jsonl')}`,
  'max_new_tokens=2',
  to('generate'),
];
const episode = {
  reset: { observation: 'Questions:\n' },
  steps: [{ action: 'is it a dog?', observation: ' No.\n', reward: 0 }],
};

/** Makes a pickle with an integer of two million bytes. */
function long4(): Uint8Array {
  const bytes = Buffer.alloc(2_000_008, 0x7f);
  bytes.set([0x80, 2, 0x8b]); // protocol 2, LONG4
  bytes.writeInt32LE(2_000_000, 3);
  bytes[2_000_007] = 0x2e; // STOP
  return bytes;
}

interface Attack {
  args: readonly string[];
  /** The expected exit code, if it is not 1. */
  code?: number;
}

/** The attacks by name; the number is the issue's point. */
const attacks: Readonly<Record<string, () => Attack>> = {
  '5 a pickle with LONG4 of 2 MB': () => ({
    args: [
      '--config-name',
      'convert',
      `input=${file('long4.pt', long4())}`,
      `output=${at('converted')}`,
      to('convert'),
    ],
  }),
  '5 YAML of 50,000 brackets': () => {
    file('deep.yaml', '['.repeat(50_000));
    return { args: ['--config-dir', directory, '--config-name', 'deep'] };
  },
  '8 an infinite reward in a file of episodes': () => {
    const line = JSON.stringify(episode).replace('"reward":0', '"reward":1e999');
    return {
      args: [
        ...tiny.filter((word) => !word.startsWith('demonstrations')),
        `demonstrations.path=${file('episodes.jsonl', `${line}\n`)}`,
        to('infinite'),
      ],
    };
  },
  '8 a damaged metrics.jsonl': () => {
    cpSync(agent, at('damaged'), { recursive: true });
    const lines = readFileSync(join(agent, 'metrics.jsonl'), 'utf8').split('\n');
    writeFileSync(at('damaged/metrics.jsonl'), ['{"iter', ...lines.slice(1)].join('\n'));
    return { args: ['--config-name', 'report', `dirs=[${at('damaged')}]`, to('report')] };
  },
  '9 data in Latin-1': () => ({ args: generate(file('latin.jsonl', Buffer.from('{"prompt":"caf\xe9"}\n', 'latin1'))) }),
  '10 a read-only output': () => {
    mkdirSync(at('read-only'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', at('read-only')]);
    return { args: [...tiny, to('read-only/run')] };
  },
  '10 policy.n_embd=100000': () => ({ args: [...tiny, 'policy.n_embd=100000', to('wide')] }),
  '10 device=gpu': () => ({ args: [...tiny, 'device=gpu', to('gpu')] }),
  '10 task=eval': () => ({ args: ['--config-name', 'archer_20q', 'task=eval'] }),
  '10 launcher.jobs=4 alone': () => ({
    args: ['-m', ...tiny, 'seed=1,2', 'launcher.jobs=4', `hydra.sweep.dir=${at('sweep')}`],
  }),
  '10 own YAML without defaults': () => {
    file('own.yaml', 'lm_lr: 1e-3\niterations: 5\n');
    return { args: ['--config-dir', directory, '--config-name', 'own'] };
  },
  '10 an absolute --config-name': () => ({ args: ['--config-name', file('own.yaml', 'lm_lr: 1e-3\n')], code: 2 }),
  '10 JSONL with BOM': () => ({ args: generate(file('bom.jsonl', '\ufeff{"prompt":" is"}\n')), code: 0 }),
  '10 a file as checkpoint_path': () => ({
    args: [...game, 'task=evaluate', `checkpoint_path=${model}/model.safetensors`, to('evaluate')],
    code: 0, // the file is converted, and the log reports it
  }),
  '10 another lm_lr for a run that began': () => ({ args: [...tiny, 'lm_lr=0.5', `save_path=${agent}`] }),
  '10 a template that does not exist': () => ({
    args: ['--config-name', 'serve_model', `model=${model}`, 'chat_template=vicuna', 'port=0', to('template')],
  }),
  '7 serve_env on 0.0.0.0 without a key': () => ({
    args: ['--config-name', 'serve_env', 'host=0.0.0.0', 'port=0', to('open')],
  }),
};

async function ended(args: readonly string[]) {
  let cpuMs = 0;
  const killWhen = (pid: number) => ((cpuMs = Math.max(cpuMs, cpuMsOf(pid))), false);
  return { ...(await run(args, { program, killWhen })), cpuMs };
}

/** Returns the error message without Hydra's additions. */
function sentence(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !/^Error executing job|^Set the environment|^usage:|^ {7}/.test(line));
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === '');
  const said = lines
    .slice(0, end < 0 ? 4 : Math.min(end, 4))
    .map((line) => line.trim())
    .join('; ');
  return said.replaceAll(directory, 'DIR').replaceAll(repository, 'REPOSITORY/').replaceAll('|', '\\|');
}

async function row(name: string, { args, code = 1 }: Attack): Promise<void> {
  const result = await ended(args);
  const text = result.code === 0 ? result.stdout : result.stderr;
  const isAsExpected = result.code === code && !/\n\s+at .*:\d+/.test(result.stderr);
  if (!isAsExpected) process.exitCode = 1;
  console.log(`| ${name} | ${result.code} | ${(result.cpuMs / 1000).toFixed(1)} | ${sentence(text)} |`);
}

/**
 * Sends bytes to a port.
 *
 * @returns what the server sends to these bytes until it closes the connection
 */
const send = (port: number, bytes: string | Uint8Array, ms = 3000): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
    socket.write(bytes);
    setTimeout(() => socket.destroy(), ms);
  });

function post(path: string, body: string, headers = 'content-type: application/json', host = '127.0.0.1'): string {
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: bEaReR secret\r\n${headers}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

/** Prints status and body of each attack on a server, which then gets SIGTERM during an incomplete request. */
async function server(name: string, args: readonly string[], path: string): Promise<void> {
  const env = { ...process.env, KEY: 'secret' };
  const child = spawn(process.execPath, [program, ...args, 'port=0', to(name)], { cwd: repository, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
  while (!/at http:\S+:\d+/.test(said) && child.exitCode === null) await sleep(50);
  if (child.exitCode !== null) throw new Error(said);
  const port = Number(/at http:\S+:(\d+)/.exec(said)?.[1]);
  const good = JSON.stringify({ prompt: ' is', max_tokens: 2 });
  const streams = post(path, JSON.stringify({ prompt: ' is', max_tokens: 40, stream: true })).replace(
    'connection: close',
    'connection: keep-alive',
  );
  const asked: Readonly<Record<string, string | Uint8Array>> = {
    '3 30 pipelined streams, then one request': name === 'serve_model' ? streams.repeat(30) : '',
    '7 a foreign Origin': post(path, good, 'content-type: application/json\r\norigin: http://evil.example'),
    '7 a foreign Host': post(path, good, undefined, 'evil.example'),
    '7 text/plain': post(path, good, 'content-type: text/plain'),
    '7 no key': name === 'serve_model' ? post(path, good).replace('bEaReR secret', 'none') : '',
    '8 1,000 prompts':
      name === 'serve_model' ? post(path, JSON.stringify({ prompt: new Array(1000).fill(' is') })) : '',
    '8 //': 'GET // HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer secret\r\nconnection: close\r\n\r\n',
    '8 invalid UTF-8': Buffer.from(post(path, '{"prompt":"\xe9"}'), 'latin1'),
  };
  for (const [attack, bytes] of Object.entries(asked)) {
    if (bytes === '' || !pattern.test(attack)) continue;
    const isStreams = attack.startsWith('3');
    const began = performance.now();
    if (isStreams) await send(port, bytes, 200);
    const answer = isStreams ? await send(port, post(path, good), 60_000) : await send(port, bytes);
    const status = /HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none';
    const words = isStreams
      ? `after ${(performance.now() - began).toFixed(0)} ms`
      : (/"(?:message|detail)":"(.*?[^\\])"/.exec(answer)?.[1] ?? '');
    console.log(`| ${attack}: ${name} | ${status} | | ${words} |`);
    if (status === 'none' || Number(status) >= 500) process.exitCode = 1;
  }
  const half = connect(port, '127.0.0.1').on('error', () => undefined);
  half.write(post(path, good).slice(0, -5));
  await sleep(300);
  const began = performance.now();
  const over = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  console.log(
    `| 4 SIGTERM beside a half-sent request: ${name} | exit ${String(await over)} | | after ${((performance.now() - began) / 1000).toFixed(1)} s |`,
  );
}

try {
  const { code, stderr } = await run([...tiny, `save_path=${agent}`], { program });
  if (code !== 0) throw new Error(stderr);
  console.log('| attack | exit code or status | CPU, s | answer |\n|---|---|---|---|');
  for (const [name, attack] of Object.entries(attacks)) if (pattern.test(name)) await row(name, attack());
  const taken = createServer().listen(0, '127.0.0.1');
  await sleep(100);
  const { port } = taken.address() as { port: number };
  if (pattern.test('10 a port in use'))
    await row('10 a port in use', { args: ['--config-name', 'serve_env', `port=${port}`, to('taken')] });
  taken.close();
  await server(
    'serve_model',
    ['--config-name', 'serve_model', `model=${model}`, 'slots=2', 'max_queued=40', 'threads=1', 'server_key_env=KEY'],
    '/v1/completions',
  );
  await server('serve_env', ['--config-name', 'serve_env', 'env=maze'], '/maze/step');
} finally {
  spawnSync('umount', [at('read-only')]);
  rmSync(directory, { recursive: true, force: true });
}
