// The OpenEnv server as a target of damaged upgrades and frames, from clients that close or reset the connection at any time.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rng } from '@bowyer/core';
import { serveOpenEnv } from '@bowyer/serving';
import { damageBytes, damageJson } from './mutations.js';
import type { OpenTarget } from './target.js';

interface Frame {
  opcode: number;
  payload: Uint8Array;
  isLast?: boolean;
  /** Reserved bits, which are set only by extensions that the server does not support. */
  reserved?: number;
  isMasked?: boolean;
  /** A length that differs from the payload's. */
  length?: number;
}

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 };
const KEY = Buffer.from([1, 2, 3, 4]);

/** Encodes a frame of RFC 6455, section 5.2. */
function encoded({
  opcode,
  payload,
  isLast = true,
  reserved = 0,
  isMasked = true,
  length = payload.length,
}: Frame): Buffer {
  const first = (isLast ? 0x80 : 0) | reserved | opcode;
  const mask = isMasked ? 0x80 : 0;
  const head =
    length < 126
      ? [first, mask | length]
      : length < 2 ** 16
        ? [first, mask | 126, length >> 8, length & 255]
        : [first, mask | 127, ...bigEndian(length)];
  const body = Buffer.from(payload).map((byte, i) => (isMasked ? byte ^ KEY[i % 4] : byte));
  return Buffer.concat([Buffer.from(head), isMasked ? KEY : Buffer.alloc(0), body]);
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const text = (value: unknown): Frame => ({ opcode: OPCODES.text, payload: Buffer.from(JSON.stringify(value)) });

const upgrade = (path: string, more = '') =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${more}\r\n`,
  );

const talk = (path: string, frames: readonly Frame[]) => Buffer.concat([upgrade(path), ...frames.map(encoded)]);

const step = Buffer.from(JSON.stringify({ type: 'step', data: { message: 'move up' } }));
const reset = text({ type: 'reset', data: { seed: 3 } });
const tools = text({ jsonrpc: '2.0', method: 'tools/list', id: 1 });
const parts: Frame[] = [
  { opcode: OPCODES.text, payload: step.subarray(0, 9), isLast: false },
  { opcode: OPCODES.ping, payload: Buffer.from('still there?') },
  { opcode: OPCODES.continuation, payload: step.subarray(9) },
];
const talks: readonly { path: string; frames: Frame[] }[] = [
  {
    path: '/ws',
    frames: [reset, { opcode: OPCODES.text, payload: step }, text({ type: 'state' }), text({ type: 'close' })],
  },
  { path: '/ws', frames: [reset, ...parts] },
  { path: '/mcp', frames: [tools, { opcode: OPCODES.ping, payload: Buffer.alloc(0) }, tools] },
];

/** Damages a payload, within its JSON if it has any. */
function damagedPayload(payload: Uint8Array, rng: Rng): Uint8Array {
  try {
    return Buffer.from(damageJson(Buffer.from(payload).toString(), rng));
  } catch {
    return damageBytes(payload, rng);
  }
}

const frameChanges: readonly ((frame: Frame, rng: Rng) => Frame)[] = [
  (frame, rng) => ({ ...frame, opcode: rng.integer(0, 15) }),
  (frame) => ({ ...frame, isLast: !(frame.isLast ?? true) }),
  (frame, rng) => ({ ...frame, reserved: rng.integer(1, 7) << 4 }),
  (frame) => ({ ...frame, isMasked: false }),
  (frame, rng) => ({ ...frame, length: [0, 1, 125, 126, 65535, 2 ** 22 + 1, 2 ** 31, 2 ** 53][rng.integer(0, 7)] }),
  (frame, rng) => ({ ...frame, payload: damageBytes(frame.payload, rng) }), // also bytes that are not UTF-8
  (frame, rng) => ({ ...frame, payload: damagedPayload(frame.payload, rng) }),
  (frame, rng) => ({ ...frame, opcode: OPCODES.ping, payload: Buffer.alloc(rng.integer(0, 300)) }),
  (frame, rng) => ({
    ...frame,
    opcode: OPCODES.close,
    payload: Buffer.alloc(rng.integer(0, 130), rng.integer(0, 255)),
  }),
];

/** Damages frames or bytes. Some go to a path that the server refuses, or come from a page that it refuses. */
function damage(seed: Uint8Array, rng: Rng): Uint8Array {
  return Buffer.concat([Buffer.from([rng.integer(0, 255)]), damagedTalk(seed.subarray(1), rng)]);
}

function damagedTalk(seed: Uint8Array, rng: Rng): Uint8Array {
  if (rng.uniform() < 0.3) return damageBytes(seed, rng);
  if (rng.uniform() < 0.1) return upgrade(rng.uniform() < 0.5 ? '/nowhere' : '/ws', 'origin: http://evil.example\r\n');
  const { path, frames } = talks[rng.integer(0, talks.length - 1)];
  const changed = [...frames];
  for (let left = rng.integer(1, 3); left > 0; left--) {
    const at = rng.integer(0, changed.length - 1);
    changed[at] = frameChanges[rng.integer(0, frameChanges.length - 1)](changed[at], rng);
  }
  return talk(path, changed);
}

/** The first byte of inputs whose client sends everything at once, waits for the answers, and closes its side. */
const POLITE = 0;

/** The longest wait for an answer, in milliseconds. */
const PATIENCE = 25;
const LIMIT = 20_000;

/**
 * Sends the bytes in pieces, and closes the connection in order, in the middle, or with a reset.
 *
 * @param input a byte that decides how, and the bytes to send
 * @throws if the server does not answer frames, keeps the connection, or does not answer others any more
 */
async function play(origin: string, input: Uint8Array): Promise<void> {
  const [way, bytes] = [input[0], input.subarray(1)];
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined);
  let answer = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => (answer = Buffer.concat([answer, piece])));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const pieces = way % 3;
  for (let i = 0; i <= pieces; i++) {
    socket.write(bytes.subarray((bytes.length * i) / (pieces + 1), (bytes.length * (i + 1)) / (pieces + 1)));
    if (i < pieces) await sleep(1);
  }
  if (way % 5 === 1) socket.resetAndDestroy();
  else await leave(socket, way % 5 === 2, () => answer.length);
  const isClosed = await Promise.race([closed.then(() => true), sleep(LIMIT, false, { ref: false })]);
  socket.destroy();
  if (!isClosed) throw new Error('the server did not end the connection');
  const health = await fetch(`${origin}/health`, { headers: { connection: 'close' } });
  await health.text();
  if (health.status !== 200) throw new Error(`the server answered others with ${health.status}`);
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1] ?? 'no answer';
  if (Number(status) >= 500) throw new Error(`the server answered ${answer.toString('latin1').slice(0, 500)}`);
  if (status !== '101') throw new Error(`refused: ${status}`);
}

/** Closes the connection when no more answers come. */
async function leave(socket: Socket, withReset: boolean, answered: () => number): Promise<void> {
  for (let before = -1; before !== answered() && !socket.destroyed;) {
    before = answered();
    await sleep(PATIENCE);
  }
  if (withReset) socket.resetAndDestroy();
  else socket.end();
}

export const openEnvFrames: OpenTarget = async () => {
  // Fewer sessions than clients.
  const server = await serveOpenEnv({
    name: 'maze',
    options: {},
    host: '127.0.0.1',
    port: 0,
    maxInstances: 8,
    idleMs: 60_000,
    onFault: () => undefined,
  });
  return {
    seeds: talks.map(({ path, frames }) => Buffer.concat([Buffer.from([POLITE]), talk(path, frames)])),
    damage,
    lanes: 32,
    read: (input) => play(server.url, input),
    close: () => server.close(),
  };
};
