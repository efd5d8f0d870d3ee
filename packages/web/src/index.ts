// Defines the page's interface to the program in its worker.
import { askWorker } from './ask-worker.js';
import type { PageRequest, PageResponse } from './protocol.js';

export interface PageRunOptions {
  /** Called with each line that the program writes. */
  onLine?: (line: string) => void;
  /** Called with each event of the run, as `--json` prints them: metrics, progress and texts. */
  onEvent?: (event: Readonly<Record<string, unknown>>) => void;
  /** Stops the run at its next checkpoint. The same command resumes it. */
  signal?: AbortSignal;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Ask = PageRequest extends infer Request ? (Request extends { id: number } ? Omit<Request, 'id'> : never) : never;

/** Runs commands in a page, with the same arguments as `npx bowyer …` in a terminal. */
export class Bowyer {
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<void>;
  #counter = 0;
  /** The beginning of an incomplete line, by channel. */
  readonly #rest = { stdout: '', stderr: '' };
  #options: PageRunOptions | null = null;

  /** @param worker module worker of `@bowyer/web/worker` */
  constructor(private readonly worker: Worker) {
    this.#ready = new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<PageResponse>) => {
        if (data.kind === 'ready') resolve();
        else this.#take(data);
      });
      worker.addEventListener('error', (event) => {
        const error = new Error(`the worker failed: ${event.message}`);
        reject(error);
        for (const pending of this.#pending.values()) pending.reject(error);
        this.#pending.clear();
      });
    });
  }

  /**
   * Runs a command and returns its exit code. @throws while another command runs
   *
   * @param argv arguments of `npx bowyer`; files below /work are kept between visits
   */
  async run(argv: readonly string[], options: PageRunOptions = {}): Promise<number> {
    const { signal, onEvent } = options;
    signal?.throwIfAborted();
    if (this.#options !== null) throw new Error('a command runs already; await it, or open a second worker');
    this.#options = options;
    const stop = (): void => this.worker.postMessage({ kind: 'stop' } satisfies PageRequest);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return (await this.#ask({ kind: 'run', argv: onEvent ? [...argv, 'json=true'] : argv })) as number;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#options = null;
    }
  }

  /** Reads a file of the program, or its last bytes. */
  async read(path: string, last = Infinity): Promise<Uint8Array> {
    return (await this.#ask({ kind: 'read', path, last })) as Uint8Array;
  }

  /** Writes a file for the program, and creates its folders. */
  async write(path: string, data: Uint8Array): Promise<void> {
    await this.#ask({ kind: 'write', path, data });
  }

  /**
   * Makes a blob, such as a `File` that was dropped into the page, a file of the program. Its bytes stay where they are and are
   * read by position, as weights are; files that a command reads whole are written by `write`.
   *
   * @throws below /work, whose files are kept
   */
  async mount(path: string, blob: Blob): Promise<void> {
    await this.#ask({ kind: 'mount', path, blob });
  }

  /** Lists the files below a folder with their sizes in bytes. */
  async list(folder = '/work'): Promise<Record<string, number>> {
    return (await this.#ask({ kind: 'list', folder })) as Record<string, number>;
  }

  /**
   * Sends a request to a server that a command in the worker runs, such as `serve_model`. Nothing leaves the page.
   *
   * @param address as the command prints it: http://127.0.0.1:8000/v1/chat/completions
   */
  async fetch(address: string, init?: RequestInit): Promise<Response> {
    await this.#ready;
    return askWorker(this.worker, new Request(address, init));
  }

  /** Terminates the worker. Saved files are kept. */
  close(): void {
    this.worker.terminate();
  }

  async #ask(request: Ask): Promise<unknown> {
    await this.#ready;
    const id = ++this.#counter;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id });
    });
  }

  #take(response: Exclude<PageResponse, { kind: 'ready' }>): void {
    if (response.kind === 'text') {
      this.#print(response);
      return;
    }
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if (response.kind === 'result') pending?.resolve(response.result);
    else pending?.reject(Object.assign(new Error(response.message), { stack: response.stack }));
  }

  #print({ text, channel }: Extract<PageResponse, { kind: 'text' }>): void {
    const lines = (this.#rest[channel] + text).split('\n');
    this.#rest[channel] = lines.pop()!;
    const { onLine, onEvent } = this.#options ?? {};
    for (const line of lines) {
      onLine?.(line);
      if (onEvent && line.startsWith('{')) onEvent(JSON.parse(line) as Record<string, unknown>);
    }
  }
}
