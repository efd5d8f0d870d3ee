// Runs the agent's programs and their tests in QuickJS, in threads that can be terminated. QuickJS itself can be interrupted only
// between two operations, and a single one (a regular expression, garbage collection) may take minutes.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export interface Attempt {
  /** The agent's program, a JavaScript script. */
  program: string;
  /** The name of the function or class that the program must declare; null: any program is allowed. */
  entryPoint: string | null;
  /** The tests, each the body of a function. */
  tests: readonly string[];
  limits: { milliseconds: number; memoryBytes: number };
}

/** The result of one test. `missing`: the program does not declare the entry point; `broken`: the test does not compile. */
export interface Outcome {
  kind: 'passed' | 'assertion' | 'error' | 'syntax' | 'missing' | 'time' | 'memory' | 'broken';
  text: string;
}

/** The limit of QuickJS's stack in bytes. It is below the 5 MiB of the stack of WebAssembly, in which QuickJS runs. */
const STACK_BYTES = 2 ** 20;
/** The thread is terminated this many milliseconds after the time limit at which QuickJS is interrupted. */
const GRACE_MS = 500;
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

const idle: Worker[] = [];
const waiting: (() => void)[] = [];
let running = 0;
let users = 0;

/** Runs tests in threads that all sandboxes of this process share. The threads end when the last sandbox is closed. */
export interface Sandbox {
  /** Runs the tests and returns their outcomes, in the order of the tests. */
  run(attempt: Attempt): Promise<Outcome[]>;
  close(): Promise<void>;
}

export function openSandbox(): Sandbox {
  users++;
  let isOpen = true;
  return {
    run,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      users--;
      if (users === 0) await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}

async function run(attempt: Attempt): Promise<Outcome[]> {
  if (running < THREADS) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    const worker = idle.pop() ?? (await startThread());
    worker.ref();
    const { outcomes, isUsable } = await play(worker, attempt);
    worker.unref();
    if (isUsable && users > 0) idle.push(worker);
    else await worker.terminate();
    return outcomes;
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('../../../src/code/sandbox/thread.mjs', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 8 },
  });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  // Without a listener, an error of the thread would end this process.
  return worker.on('error', () => {});
}

/** Runs the tests in a thread. A test that has no outcome when the thread ends has exceeded its limit of time or memory. */
function play(worker: Worker, { limits, ...attempt }: Attempt): Promise<{ outcomes: Outcome[]; isUsable: boolean }> {
  const outcomes: Outcome[] = [];
  return new Promise((resolve) => {
    const end = (missing: Outcome['kind'] | null) => {
      clearInterval(timer);
      worker.off('message', hear).off('error', fail);
      while (missing !== null && outcomes.length < attempt.tests.length) outcomes.push({ kind: missing, text: '' });
      resolve({ outcomes, isUsable: missing === null });
    };
    const isOver = timeLimit(limits.milliseconds + GRACE_MS);
    const timer = setInterval(() => {
      if (isOver()) end('time');
    }, 50);
    const hear = (outcome: Outcome) => {
      outcomes.push(outcome);
      if (outcomes.length === attempt.tests.length) end(null);
    };
    const fail = () => end('memory');
    worker.on('message', hear).on('error', fail);
    worker.postMessage({ ...attempt, limits: { ...limits, stackBytes: STACK_BYTES } });
  });
}

/** The limit has passed if elapsed and CPU time both exceed it, or the elapsed time alone exceeds ten times the limit. */
function timeLimit(milliseconds: number): () => boolean {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const elapsed = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    return elapsed > milliseconds && ((user + system) / 1000 > milliseconds || elapsed > 10 * milliseconds);
  };
}
