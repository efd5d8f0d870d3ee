// Serves a model over HTTP to agents of any kind and records their rollouts: each rollout has a base URL of its own, and every
// model call is written to the log before the last byte of its answer is sent.
import { ModelServer, type ModelServerOptions } from '@bowyer/serving';
import { RolloutKeys } from '../record/record-key.js';
import type { RolloutLog } from '../record/rollout-log.js';
import type { SplicePolicy } from '../tree/prompt.js';
import { TraceFile } from './traces/trace-file.js';
import { TraceOwners } from './traces/trace-owners.js';
import { traceRoutes } from './traces/trace-routes.js';
import { rolloutRoutes } from './rollout-routes.js';
import { Recorder, type RecordedRollouts } from './recorder.js';

export interface AgentServerOptions extends Omit<ModelServerOptions, 'observer' | 'protocols'> {
  /** The log of rollouts, which must stay open until the server has closed. */
  log: RolloutLog;
  /** The way in which a prompt repeats the model's earlier answers after a new message of the user; `template` if not given. */
  splice?: SplicePolicy;
  /** Changes request bodies, for instance their prompts, before the server reads them; the changed bodies are recorded. */
  bodyOf?: (rollout: string | null, body: unknown) => unknown;
  /** The milliseconds for which a call waits while the weights change, before its client must retry; 120,000 if not given. */
  longestWaitMs?: number;
}

export class AgentServer {
  private constructor(
    private readonly server: ModelServer,
    private readonly recorder: Recorder,
  ) {}

  /** The methods that begin, reward, end and read rollouts, for callers in this process; the REST routes call the same ones. */
  get rollouts(): RecordedRollouts {
    return this.recorder;
  }

  /** Starts the server, and returns it once it accepts connections. */
  static async listen({
    log,
    splice = 'template',
    bodyOf,
    longestWaitMs = 120_000,
    ...options
  }: AgentServerOptions): Promise<AgentServer> {
    const { tokenizer, seed, maxQueued, onFault = () => undefined } = options;
    let origin = '';
    const recorder = new Recorder({
      log,
      keys: await RolloutKeys.open(log.folder),
      prompts: { tokenizer, policy: splice },
      seed,
      bodyOf,
      longestWaitMs,
      mostWaiting: maxQueued,
      origin: () => origin,
      onFault,
    });
    const owners = await TraceOwners.open(log.folder);
    const server = await ModelServer.listen({
      ...options,
      observer: recorder,
      protocols: () => [rolloutRoutes(recorder), traceRoutes(new TraceFile(log.folder), owners)],
    });
    origin = new URL(server.url).origin;
    return new AgentServer(server, recorder);
  }

  /** Returns the server's address `http://ADDRESS:PORT`. */
  get origin(): string {
    return new URL(this.server.url).origin;
  }

  /** The version of the weights, recorded with the next sampled tokens. A caller sets it within `changeWeights`. */
  get version(): number {
    return this.recorder.version;
  }

  set version(version: number) {
    this.recorder.version = version;
  }

  /** Resolves once no call is in progress. Later calls wait for `resume`, or their clients are asked to retry. */
  pause(): Promise<void> {
    return this.recorder.gate.close();
  }

  resume(): void {
    this.recorder.gate.open();
  }

  /** Changes the model's weights while no answer is in progress. The KV cache of the earlier weights is not used again. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.server.changeWeights(apply);
  }

  /** Stops accepting requests, and finishes the answers in progress. It closes neither the model nor the log. */
  close(): Promise<void> {
    return this.server.close();
  }
}
