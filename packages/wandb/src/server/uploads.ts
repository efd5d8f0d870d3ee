// Uploads the files and artifacts of a run to W&B's server one after another, in parallel with the lines of the run's streams.
import { join } from 'node:path';
import { uploadArtifact } from './artifact-upload.js';
import type { WandbClient } from './client.js';
import { CREATE_RUN_FILES, headersOf, type CreateRunFilesAnswer } from './queries.js';
import type { ArtifactRecord } from '../log/records.js';
import type { RunProjection } from './run-projection.js';
import type { SenderState } from './sender-state.js';

interface UploadsOptions {
  client: WandbClient;
  directory: string;
  state: SenderState;
  /** Called with the name of each file or artifact whose upload failed. It is then skipped. */
  onFailure: (what: string, error: Error) => void;
  onArtifact: (artifact: ArtifactRecord) => Promise<void>;
}

export class Uploads {
  /** The names of files that were uploaded and must be announced in the next request of the stream. */
  uploaded: string[] = [];
  /** The number of artifacts whose upload failed. A later sender of the log tries them again. */
  failedArtifacts = 0;
  #queue: Promise<void> = Promise.resolve();
  #started = new Set<string>();
  #artifacts = 0;

  constructor(private readonly options: UploadsOptions) {}

  /**
   * Starts the uploads that were not started yet. @param isEnd whether the run has ended, so that files which are uploaded only
   * at its end are included
   */
  start({ files, artifacts }: RunProjection, isEnd: boolean): void {
    const due = [...files.values()].filter(({ path, atEnd }) => {
      const known = this.#started.has(path) || (!atEnd && this.options.state.files.includes(path));
      return !known && (isEnd || !atEnd);
    });
    for (const { path } of due) this.#started.add(path);
    if (due.length > 0) this.#then(() => this.#files(due.map(({ path }) => path)));
    for (const artifact of artifacts.slice(this.#artifacts)) this.#then(() => this.#artifact(artifact));
    this.#artifacts = artifacts.length;
  }

  /** Waits until all uploads that were started have ended or failed. */
  settled(): Promise<void> {
    return this.#queue;
  }

  #then(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work);
  }

  async #files(names: string[]): Promise<void> {
    const { client, directory, state, onFailure } = this.options;
    const { entity, project, name: run } = state.run!;
    try {
      const variables = { entity, project, run, files: names };
      const { createRunFiles } = await client.graphql<CreateRunFilesAnswer>(CREATE_RUN_FILES, variables);
      const headers = headersOf(createRunFiles.uploadHeaders);
      for (const { name, uploadUrl } of createRunFiles.files) {
        await client
          .put(uploadUrl, join(directory, name), headers)
          .then(() => this.#done(name))
          .catch((error: Error) => onFailure(name, error));
      }
    } catch (error) {
      onFailure(names.join(', '), error as Error);
    }
  }

  #done(name: string): void {
    this.uploaded.push(name);
    if (!this.options.state.files.includes(name)) this.options.state.files.push(name);
  }

  async #artifact(artifact: ArtifactRecord): Promise<void> {
    const { client, state, onFailure } = this.options;
    const id = artifact.client_id ?? '';
    if (state.artifacts.includes(id)) return;
    try {
      await uploadArtifact(client, state.run!, artifact);
      state.artifacts.push(id);
      await this.options.onArtifact(artifact);
    } catch (error) {
      this.failedArtifacts++;
      onFailure(`artifact ${artifact.name}`, error as Error);
    }
  }
}
