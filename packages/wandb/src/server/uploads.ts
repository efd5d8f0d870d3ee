// Files and artifacts of a run, uploaded one after another beside its stream.
import { join } from 'node:path';
import { uploadArtifact } from './artifact-upload.js';
import type { WandbClient } from './client.js';
import { CREATE_RUN_FILES, headersOf, type CreateRunFilesAnswer } from './queries.js';
import type { ArtifactRecord } from '../log/records.js';
import type { RunProjection } from './run-projection.js';
import type { SenderState } from './sender-state.js';

interface UploadsOptions {
  client: WandbClient;
  /** The folder `files`. */
  directory: string;
  state: SenderState;
  /** Called with each file or artifact that cannot be uploaded, and is left out. */
  onFailure: (what: string, error: Error) => void;
  /** Called when an artifact is at the server. */
  onArtifact: (artifact: ArtifactRecord) => Promise<void>;
}

export class Uploads {
  /** Names of uploaded files, for the next request to the run's stream. */
  uploaded: string[] = [];
  /** The number of artifacts that were given up: a later sender tries them again. */
  failedArtifacts = 0;
  #queue: Promise<void> = Promise.resolve();
  #started = new Set<string>();
  #artifacts = 0;

  constructor(private readonly options: UploadsOptions) {}

  /** Starts what the projection has and was not started before. @param isEnd also the files of the end */
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

  /** Resolves when all that was started has been uploaded or given up. */
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
