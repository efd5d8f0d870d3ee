// Runs transformers.js, version 3 or 4, in a separate process, since their ONNX Runtimes and ours cannot be in the same one.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OnnxPrecisionName } from '@bowyer/models';

/** The package in this folder's package.json, by version. */
export const packages = { 3: 'transformers-js-3', 4: '@huggingface/transformers' } as const;

export type LibraryVersion = keyof typeof packages;
export type Dtype = OnnxPrecisionName;

export interface Generated {
  /** The greedy tokens, generated with the KV cache. */
  ids: number[];
  /** The logits of the prompt's last token and of all generated tokens but the last, from one run over all tokens without a cache. */
  logits: Float32Array[];
}

export type Question =
  | { folder: string; texts: readonly string[] }
  | { folder: string; dtype: Dtype; prompt: readonly number[]; maxNewTokens: number };

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

export class TransformersJs {
  #asked = 0;

  private constructor(
    private readonly child: ChildProcess,
    readonly version: string,
  ) {}

  static async open(version: LibraryVersion): Promise<TransformersJs> {
    const file = fileURLToPath(new URL('transformers-js-process.ts', import.meta.url));
    const child = fork(file, [packages[version]], { serialization: 'advanced' });
    const [started] = (await once(child, 'message')) as [{ version: string }];
    return new TransformersJs(child, started.version);
  }

  generate(folder: string, dtype: Dtype, prompt: readonly number[], maxNewTokens: number): Promise<Generated> {
    return this.#ask({ folder, dtype, prompt, maxNewTokens }) as Promise<Generated>;
  }

  tokenIds(folder: string, texts: readonly string[]): Promise<number[][]> {
    return this.#ask({ folder, texts }) as Promise<number[][]>;
  }

  async #ask(question: Question): Promise<unknown> {
    const id = this.#asked++;
    this.child.send({ id, question });
    const [{ value, error }] = (await once(this.child, 'message')) as [Answer];
    if (error !== undefined) throw new Error(`transformers.js ${this.version}: ${error}`);
    return value;
  }

  close(): void {
    this.child.disconnect();
  }
}
