// Replaces Node's globals when Bowyer runs in a web page: `process`, `Buffer`, `setImmediate`, and timers that are objects.
// A bundler inserts them where code uses these names; the page's own globals are not changed.
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';

/** A function that receives the text which the program prints. */
export type Write = (text: string, channel: 'stdout' | 'stderr') => void;
let write: Write = () => undefined;
export { Buffer };
export const writeTo = (target: Write): void => void (write = target);

/** A subclass only to have a named type, since the type parameters of EventEmitter differ between versions of Node's types. */
class Emitter extends EventEmitter {}

function output(channel: 'stdout' | 'stderr'): object {
  return Object.assign(new Emitter(), {
    isTTY: false,
    columns: 120,
    write(text: string, ...rest: unknown[]): boolean {
      write(String(text), channel);
      const done = rest.at(-1);
      if (typeof done === 'function') (done as () => void)();
      return true;
    },
  });
}

const started = performance.now();
const milliseconds = (): number => performance.now() - started;

/** The object `process` in a page. A signal to its own process id is emitted as an event, and there are no other processes. */
export const process = Object.assign(new Emitter(), {
  arch: 'wasm32',
  argv: ['node', 'bowyer'],
  cpuUsage: (before = { user: 0, system: 0 }) => ({ user: milliseconds() * 1_000 - before.user, system: 0 }),
  cwd: () => '/work',
  emitWarning: (warning: unknown) => write(`${String(warning)}\n`, 'stderr'),
  env: { HOME: '/home' } as Record<string, string | undefined>,
  execArgv: [],
  execPath: '/node',
  exitCode: 0,
  hrtime: Object.assign(() => [0, 0], { bigint: () => BigInt(Math.round(milliseconds() * 1e6)) }),
  kill(pid: number, signal?: string | number): boolean {
    if (pid !== 1) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    if (typeof signal === 'string') process.emit(signal, signal);
    return true;
  },
  memoryUsage: Object.assign(() => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }), {
    rss: () => 0,
  }),
  nextTick: (work: (...given: unknown[]) => void, ...given: unknown[]) => queueMicrotask(() => work(...given)),
  pid: 1,
  platform: 'linux',
  ppid: 0,
  resourceUsage: () => ({ maxRSS: 0 }),
  stderr: output('stderr'),
  stdin: Object.assign(new Emitter(), { isTTY: false }),
  stdout: output('stdout'),
  uptime: () => milliseconds() / 1_000,
  version: 'v22.0.0',
  versions: { node: '22.0.0' },
});

/** The callbacks that setImmediate has scheduled. Messages run them, since a browser delays nested timers by 4 ms. */
const turns = new Map<number, () => void>();
const { port1, port2 } = new MessageChannel();
const unref = (port: MessagePort & { unref?(): void }): void => port.unref?.(); // in Node, the port would keep the process alive
let counter = 0;
port1.onmessage = ({ data }) => {
  const work = turns.get(data as number);
  turns.delete(data as number);
  work?.();
};
unref(port1);

export function setImmediate(work: (...given: unknown[]) => void, ...given: unknown[]): Timer {
  turns.set(++counter, () => work(...given));
  port2.postMessage(counter);
  return new Timer(counter);
}

/** A timer as an object like Node's. `clearTimeout` converts it to the number that the browser uses. */
export class Timer {
  constructor(readonly id: number) {}
  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  [Symbol.toPrimitive] = (): number => this.id;
}

type Start = (work: () => void, ms?: number, ...given: unknown[]) => number;
const page = globalThis as typeof globalThis &
  Record<'setTimeout' | 'setInterval', Start> &
  Record<'clearTimeout' | 'clearInterval', (id?: number) => void>;
const starts = { setInterval: page.setInterval, setTimeout: page.setTimeout };
const stop =
  (clear: (id?: number) => void) =>
  (timer?: Timer | number | null): void =>
    clear.call(globalThis, timer === undefined || timer === null ? undefined : Number(timer));
const clears = { clearInterval: page.clearInterval, clearTimeout: page.clearTimeout };

export const clearInterval = stop(clears.clearInterval);
export const clearTimeout = stop(clears.clearTimeout);
export const clearImmediate = (timer?: Timer): boolean => turns.delete(Number(timer));
export const setInterval = (...given: Parameters<Start>): Timer =>
  new Timer(starts.setInterval.call(globalThis, ...given));
export const setTimeout = (...given: Parameters<Start>): Timer =>
  new Timer(starts.setTimeout.call(globalThis, ...given));
const root = globalThis;
export { root as global };
