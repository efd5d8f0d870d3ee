// Writes HTTP requests as bytes, damages them, and sends them.
import { connect } from 'node:net';
import { maximum, type Rng } from '@bowyer/core';
import { MISTAKEN } from './mistakes.js';
import { damageBytes, damageJson, damageNestedLines, growJson } from './mutations.js';

const END_OF_HEAD = '\r\n\r\n';

/**
 * Writes a request.
 *
 * @param body JSON text or bytes; none if not given
 */
export function request(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const content = body instanceof Uint8Array ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const own = { host: '127.0.0.1', 'content-type': 'application/json', connection: 'close', ...headers };
  const head = Object.entries({ ...own, 'content-length': String(content.length) });
  const lines = [`${method} ${path} HTTP/1.1`, ...head.map(([key, value]) => `${key}: ${value}`)];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}${END_OF_HEAD}`), content]);
}

const isJson = (body: Uint8Array): boolean => body[0] === 0x7b;

/** Damages a request, mostly its body, whose new length it writes. Sometimes it damages JSON in texts of the JSON. */
export function damageRequest(seed: Uint8Array, rng: Rng): Uint8Array {
  const at = Buffer.from(seed).indexOf(END_OF_HEAD) + END_OF_HEAD.length;
  const [head, body] = [Buffer.from(seed.subarray(0, at)).toString(), seed.subarray(at)];
  if (body.length === 0 || rng.uniform() < 0.2) return damageBytes(seed, rng);
  const damaged = damageBody(body, rng);
  const written = head.replace(/content-length: \d+/, `content-length: ${damaged.length}`);
  return Buffer.concat([Buffer.from(written), damaged]);
}

function damageBody(body: Uint8Array, rng: Rng): Uint8Array {
  const kind = rng.uniform();
  if (!isJson(body) || kind < 0.2) return damageBytes(body, rng);
  if (kind < 0.4) return damageNestedLines(body, rng);
  if (kind > 0.9) return Buffer.from(growJson(Buffer.from(body).toString(), rng));
  return Buffer.from(damageJson(Buffer.from(body).toString(), rng));
}

/** The milliseconds that a client waits for more of an answer, or for an answer to incomplete bytes. */
const PATIENCE = 40;

/** The number of connections at the same time, so that most of the waiting overlaps. */
export const LANES = 16;

/** The milliseconds that a client waits for the answer to a complete request. On a busy machine the first one takes seconds. */
const LIMIT = 60_000;

/** Collects faults that a server reports apart from its answers, such as those of a stream that has begun. */
export class Faults {
  readonly #found: Error[] = [];
  readonly add = (error: Error): void => void this.#found.push(error);

  /**
   * Fails if there were faults during the work.
   *
   * @throws if there were any during the work
   */
  async during<T>(work: Promise<T>): Promise<T> {
    await Promise.allSettled([work]);
    const [fault] = this.#found.splice(0);
    if (fault !== undefined) throw new Error(`the server answered while it had a fault: ${fault.stack}`);
    return work;
  }
}

/** Returns whether the bytes are complete, so that a server can answer them. */
function isWhole(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const lengths = [...text.slice(0, Math.max(end, 0)).matchAll(/^content-length:[ \t]*(\d+)[ \t]*\r?$/gim)];
  return end >= 0 && text.length - end - 4 >= maximum([0, ...lengths.map(([, length]) => Number(length))]);
}

/**
 * Sends bytes unchanged. If a request is incomplete and gets no answer, it closes the connection.
 *
 * @returns the answer with its headers
 * @throws if the server refuses them, does not answer, answers with a server fault or with an error of JavaScript, or does not
 *   close
 * the connection
 */
export function send(origin: string, bytes: Uint8Array): Promise<string> {
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
      leave = setTimeout(() => socket.end(), 5 * PATIENCE); // the connection stays open if `connection: close` is damaged
    });
    socket.setTimeout(LIMIT, () => socket.destroy(new Error('the server did not end the connection')));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(leave);
      const problem = problemOf(answer, isWhole(bytes));
      if (problem === null) resolve(answer);
      else reject(new Error(problem));
    });
  });
}

/** Returns the reason why an answer is wrong; null for an answer that grants the request. */
function problemOf(answer: string, wasWhole: boolean): string | null {
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const fault = statuses.find((status) => status >= 500 && status !== 503 && status !== 501);
  if (statuses.length === 0 && wasWhole) return 'the server did not answer';
  if (fault !== undefined || MISTAKEN.test(answer)) return `the server answered ${answer.slice(0, 2000)}`;
  if (statuses.some((status) => status < 300)) return null;
  return `refused: ${statuses.join(', ') || 'no answer'} ${answer.slice(answer.indexOf(END_OF_HEAD) + END_OF_HEAD.length, 2000)}`;
}
