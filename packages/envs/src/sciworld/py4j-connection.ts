// Implements the part of Py4J's text protocol that calls the simulator's Java methods: one TCP connection, one request at a time,
// fields separated by newlines. Source: Py4J's protocol.py.
import { connect, type Socket } from 'node:net';

type JavaArgument = string | number | boolean;

/** A reference to a Java object, which the server keeps in memory until the client releases it. */
export interface JavaReference {
  readonly id: string;
}

type JavaValue = string | number | boolean | null | JavaReference;

class JavaServerError extends Error {
  override readonly name = 'JavaServerError';

  constructor(
    readonly address: string,
    readonly call: string,
    complaint: string,
    options?: ErrorOptions,
  ) {
    super(`Java server ${address}: ${call} ${complaint}`, options);
  }
}

interface Py4jAddress {
  host: string;
  port: number;
}

export class Py4jConnection {
  readonly #socket: Socket;
  readonly #address: string;
  readonly #timeoutMs: number;
  #received = '';
  #waiting: { resolve(line: string): void; reject(error: Error): void } | null = null;
  #broken: Error | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket, address: string, timeoutMs: number) {
    this.#socket = socket;
    this.#address = address;
    this.#timeoutMs = timeoutMs;
    socket.setEncoding('utf8');
    socket.setNoDelay(true);
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  /** Opens a connection. @param timeoutMs limit for connecting, and for each answer */
  static async open({ host, port }: Py4jAddress, timeoutMs: number): Promise<Py4jConnection> {
    const address = `${host}:${port}`;
    const socket = connect({ host, port });
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error) => {
        socket.destroy();
        const remedy = 'start it, or correct env.base_url';
        reject(new JavaServerError(address, 'connect', `failed: ${cause.message}; ${remedy}`, { cause }));
      };
      socket.setTimeout(timeoutMs, () => fail(new Error(`no answer in ${timeoutMs} ms`)));
      socket.once('error', fail);
      socket.once('connect', () => {
        socket.setTimeout(0);
        socket.off('error', fail);
        resolve();
      });
    });
    return new Py4jConnection(socket, address, timeoutMs);
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  async call(target: JavaReference, method: string, ...args: JavaArgument[]): Promise<JavaValue> {
    return this.#request(method, ['c', target.id, method, ...args.map(encode), 'e']);
  }

  async construct(className: string): Promise<JavaReference> {
    const value = await this.#request(`new ${className}`, ['i', className, 'e']);
    if (isReference(value)) return value;
    throw new JavaServerError(this.#address, `new ${className}`, `gave ${String(value)} instead of an object`);
  }

  async release(object: JavaReference): Promise<void> {
    await this.#request('release', ['m', 'd', object.id, 'e']);
  }

  async texts(list: JavaReference): Promise<string[]> {
    const size = Number(await this.call(list, 'size'));
    const texts: string[] = [];
    for (let i = 0; i < size; i++) texts.push(String(await this.call(list, 'get', i)));
    return texts;
  }

  close(): void {
    this.#fail(new Error('the connection was closed'));
    this.#socket.destroy();
  }

  /** Sends a request as soon as the previous one has been answered. */
  #request(call: string, fields: string[]): Promise<JavaValue> {
    const answer = this.#queue.then(() => this.#exchange(call, fields));
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  async #exchange(call: string, fields: string[]): Promise<JavaValue> {
    if (this.#broken !== null) throw this.#error(call, this.#broken);
    const line = await new Promise<string>((resolve, reject) => {
      const late = () => {
        // The connection is closed after a timeout, since a late answer would be taken for that of the next request.
        this.#fail(new Error(`no answer in ${this.#timeoutMs} ms`));
        this.#socket.destroy();
      };
      const timer = setTimeout(late, this.#timeoutMs);
      this.#waiting = {
        resolve: (answer) => (clearTimeout(timer), resolve(answer)),
        reject: (error) => (clearTimeout(timer), reject(this.#error(call, error))),
      };
      this.#socket.write(`${fields.join('\n')}\n`);
    });
    if (line.startsWith('!y')) return decode(line.slice(2));
    if (line.startsWith('!x')) throw new JavaServerError(this.#address, call, 'failed with an exception in Java');
    throw new JavaServerError(this.#address, call, `got an answer that is not Py4J's: '${line.slice(0, 80)}'`);
  }

  #error(call: string, cause: Error): JavaServerError {
    return new JavaServerError(this.#address, call, `failed: ${cause.message}`, { cause });
  }

  #receive(text: string): void {
    this.#received += text;
    for (let end = this.#received.indexOf('\n'); end >= 0; end = this.#received.indexOf('\n')) {
      const line = this.#received.slice(0, end);
      this.#received = this.#received.slice(end + 1);
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.resolve(line);
    }
  }

  #fail(error: Error): void {
    this.#broken ??= error;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(this.#broken);
  }
}

function encode(argument: JavaArgument): string {
  if (typeof argument === 'string') {
    return `s${argument.replace(/\\/g, '\\\\').replace(/\r/g, '\\r').replace(/\n/g, '\\n')}`;
  }
  return typeof argument === 'number' ? `i${argument}` : argument ? 'bTrue' : 'bFalse';
}

/** Decodes a value of the protocol. The first letter is the type; lists and other objects are references to Java objects. */
function decode(text: string): JavaValue {
  const rest = text.slice(1);
  switch (text[0]) {
    case 's':
      return rest.replace(/\\(.)/g, (_, escaped: string) => ({ n: '\n', r: '\r' })[escaped] ?? escaped);
    case 'i':
    case 'L':
    case 'd':
      return Number(rest);
    case 'b':
      return rest.toLowerCase() === 'true';
    case 'l':
    case 'r':
      return { id: rest };
    default:
      return null; // 'v' is void, 'n' is null
  }
}

export const isReference = (value: JavaValue): value is JavaReference => typeof value === 'object' && value !== null;
