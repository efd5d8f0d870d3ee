// Stores agents' OpenTelemetry traces in a file in the log's folder, one line per batch as in OpenTelemetry's exporters.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonlFile, namingFile } from '@bowyer/core';

export class TraceFile {
  readonly path: string;
  #file: Promise<JsonlFile> | null = null;
  #last: Promise<void> = Promise.resolve();

  /** Sets the path of the file, which is created with the first batch. @param folder of the log of rollouts */
  constructor(folder: string) {
    this.path = join(folder, 'traces.jsonl');
  }

  /** Appends a batch of spans; resolves once it is on disk. */
  append(batch: object): Promise<void> {
    const written = this.#last.then(() => this.#write(batch));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #write(batch: object): Promise<void> {
    this.#file ??= JsonlFile.open(this.path, null);
    const file = await this.#file.catch((error: unknown) => {
      this.#file = null;
      throw error;
    });
    await file.append(batch);
    const opened = await open(this.path, 'r+');
    try {
      await namingFile(this.path, () => opened.datasync());
    } finally {
      await opened.close();
    }
  }
}
