// Sends the log of a run to W&B's server, during the run or later. Each line has a fixed offset in its stream at the server, so
// that a line which is sent twice is stored once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WandbClient } from './client.js';
import { removeCopy } from './artifact-copy.js';
import { createRun, findBase, updateConfig } from './run-at-server.js';
import { decodeRecord, type RunRecord } from '../log/records.js';
import type { RunPlace } from '../place/run-place.js';
import { RunProjection, STREAMS, type StreamName } from './run-projection.js';
import { readState, writeState, writeSynced, type SenderState } from './sender-state.js';
import type { Resume } from '../place/settings.js';
import { readLog } from '../log/transaction-log.js';
import { Uploads } from './uploads.js';

interface SenderOptions {
  client: WandbClient;
  place: RunPlace;
  /** The action if the server already has a run with this id. */
  resume: Resume;
  transmitMs: number;
  heartbeatMs: number;
  configMs: number;
  /** Called once, when the run exists at the server, with its names there. */
  onRun: (run: NonNullable<SenderState['run']>) => void;
  /** Called once, when somebody has pressed the stop button on W&B's page of the run. */
  onStop: () => void;
  warn: (message: string) => void;
  signal: AbortSignal;
}

/** The number of bytes of lines after which a request is full, as in W&B's client. */
const MAX_BODY = 10 * 2 ** 20;

type Body = {
  files?: Record<string, { offset: number; content: string[] }>;
  uploaded?: string[];
  preempting?: boolean;
  complete?: boolean;
  exitcode?: number;
};

export class Sender {
  #state!: SenderState;
  #projection!: RunProjection;
  #uploads!: Uploads;
  #offset = 0;
  #atEnd = false;
  #ending = false;
  #saving: Promise<void> = Promise.resolve();
  readonly #wake = new AbortController();
  #sentMs = -Infinity;
  #config = { version: 0, sentMs: -Infinity };
  #summaryVersion = 0;
  #wasStopped = false;
  #toldPreempting = false;

  constructor(private readonly options: SenderOptions) {}

  /** Signals that the log is complete: the remaining lines are sent without waiting. */
  end(): void {
    this.#ending = true;
    this.#wake.abort();
  }

  /**
   * Sends the log until it has ended and the server has all of it.
   *
   * @throws {WandbError} if the server refuses a request. The saved state contains what was accepted before
   */
  async run(): Promise<void> {
    const { place, client, transmitMs } = this.options;
    this.#state = await readState(place.log);
    const run = await this.#firstRun();
    await this.#findBase(run);
    this.#projection = new RunProjection({ ...this.#state.sent }, this.#state.base);
    this.#uploads = new Uploads({
      client,
      directory: place.files,
      state: this.#state,
      onFailure: (what, error) => this.options.warn(`W&B: ${what} was not uploaded: ${error.message}`),
      onArtifact: async (artifact) => {
        await this.#save(); // then the artifact is not sent again, and its copy can be removed
        await removeCopy(place.folder, artifact);
      },
    });
    const woken = AbortSignal.any([this.#wake.signal, this.options.signal]);
    while (!(await this.#tick())) {
      if (this.#atEnd && !this.#ending)
        await sleep(transmitMs, undefined, { signal: woken, ref: false }).catch(() => {});
      this.options.signal.throwIfAborted();
    }
  }

  /** Sends new records. @returns whether the log has ended and everything is sent */
  async #tick(): Promise<boolean> {
    const isEnding = this.#ending; // read before the log, so that the read includes the last record
    await this.#read();
    const isEnd = isEnding && this.#atEnd;
    await this.#register(isEnd);
    this.#uploads.start(this.#projection, isEnd);
    await this.#transmit();
    if (!isEnd || this.#projection.pendingBytes > 0) return false;
    await this.#uploads.settled();
    await this.#complete();
    return true;
  }

  async #read(): Promise<void> {
    this.#atEnd = true;
    for await (const { payload, end } of readLog(this.options.place.log, this.#offset)) {
      this.#projection.add(decodeRecord(payload));
      this.#offset = end;
      if (this.#projection.pendingBytes < MAX_BODY) continue;
      this.#atEnd = false;
      break;
    }
  }

  /** Returns the record that describes the run, which is one of the first in the log. */
  async #firstRun(): Promise<RunRecord> {
    for await (const { payload } of readLog(this.options.place.log)) {
      const { run } = decodeRecord(payload);
      if (run) return run;
    }
    throw new Error(`${this.options.place.log} has no run in it: its first records are missing`);
  }

  async #findBase(run: RunRecord): Promise<void> {
    const { client, resume } = this.options;
    if (this.#state.run === null && resume !== null) this.#state.base = await findBase(client, run, resume);
  }

  async #register(isEnd: boolean): Promise<void> {
    const { client, configMs, onRun } = this.options;
    const { configVersion: version } = this.#projection;
    if (version === this.#config.version) return;
    const isFirst = this.#config.version === 0;
    if (!isFirst && !isEnd && performance.now() - this.#config.sentMs < configMs) return;
    const config = this.#projection.configJson();
    if (this.#state.run === null) this.#state.run = await createRun(client, this.#projection.run!, config);
    else await updateConfig(client, this.#state.run, config);
    this.#config = { version, sentMs: performance.now() };
    await this.#save();
    if (isFirst) onRun(this.#state.run);
  }

  /** Sends the pending lines in one request; an empty one shows the server at intervals that the run is alive. */
  async #transmit(): Promise<void> {
    const { body, taken } = this.#body();
    const isHeartbeat = Object.keys(body).length === 0;
    if (isHeartbeat && performance.now() - this.#sentMs < this.options.heartbeatMs) return;
    const { summaryVersion } = this.#projection;
    const { length: uploaded } = body.uploaded ?? [];
    await this.#post(body);
    this.#summaryVersion = summaryVersion;
    this.#uploads.uploaded.splice(0, uploaded);
    this.#toldPreempting ||= body.preempting === true;
    for (const stream of STREAMS) {
      const lines = this.#projection.pending[stream].splice(0, taken[stream]);
      this.#projection.pendingBytes -= lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
      this.#state.sent[stream] += lines.length;
    }
    await this.#save();
  }

  #body(): { body: Body; taken: Record<StreamName, number> } {
    const { pending, base, isPreempting } = this.#projection;
    const taken: Record<StreamName, number> = { 'wandb-history.jsonl': 0, 'wandb-events.jsonl': 0, 'output.log': 0 };
    const files: Body['files'] = {};
    let bytes = 0;
    for (const stream of STREAMS) {
      const lines = pending[stream];
      while (taken[stream] < lines.length && (bytes === 0 || bytes < MAX_BODY))
        bytes += Buffer.byteLength(lines[taken[stream]++]);
      if (taken[stream] === 0) continue;
      const offset = base.lines[stream] + this.#state.sent[stream];
      files[stream] = { offset, content: lines.slice(0, taken[stream]) };
    }
    const summary = this.#projection.summaryVersion > this.#summaryVersion ? this.#projection.summaryJson() : null;
    if (summary !== null) files['wandb-summary.json'] = { offset: 0, content: [summary] };
    const { uploaded } = this.#uploads;
    const body: Body = {
      ...(Object.keys(files).length > 0 && { files }),
      ...(uploaded.length > 0 && { uploaded: [...uploaded] }),
      ...(isPreempting && !this.#toldPreempting && { preempting: true }),
    };
    return { body, taken };
  }

  /**
   * Sends the last request, which ends the run at the server. If the log contains no exit code, the run was killed, and the exit
   * code is 1.
   */
  async #complete(): Promise<void> {
    const { uploaded } = this.#uploads;
    const exitcode = this.#projection.exit === null ? 1 : (this.#projection.exit.exit_code ?? 0);
    await this.#post({ ...(uploaded.length > 0 && { uploaded }), complete: true, exitcode });
    this.#state.complete = this.#uploads.failedArtifacts === 0;
    await this.#save();
    if (this.#state.complete) await writeSynced(this.options.place.log, this.#offset);
    const { dropped } = this.#projection;
    if (dropped > 0) this.options.warn(`W&B: ${dropped} rows of over 10 MiB were left out, which its server refuses`);
  }

  async #post(body: Body): Promise<void> {
    const { entity, project, name } = this.#state.run!;
    const path = [entity, project, name].map(encodeURIComponent).join('/');
    const { stopped } = await this.options.client.stream(path, body);
    this.#sentMs = performance.now();
    if (!stopped || this.#wasStopped) return;
    this.#wasStopped = true;
    this.options.onStop();
  }

  /** Saves the state of sending to disk. Calls write one after another, since artifacts are uploaded in parallel with rows. */
  #save(): Promise<void> {
    this.#state.complete &&= this.#ending;
    const write = () => writeState(this.options.place.log, this.#state);
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }
}
