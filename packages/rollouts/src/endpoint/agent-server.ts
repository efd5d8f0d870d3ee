// Serves a model to agents of any kind: each rollout has a base URL, and every call is recorded before its last byte is sent.
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
  /** The log, which must stay open until the server has closed. */
  log: RolloutLog;
  /** How a prompt repeats earlier answers after a new message of the user; `template` if not given. */
  splice?: SplicePolicy;
  /** Changes the bodies of requests before they are read, for instance their prompts; the changed bodies are recorded. */
  bodyOf?: (rollout: string | null, body: unknown) => unknown;
  /** Milliseconds that a call waits for a change of the weights before its client is asked to retry; 120,000 if not given. */
  longestWaitMs?: number;
}

export class AgentServer {
  private constructor(
    private readonly server: ModelServer,
    private readonly recorder: Recorder,
  ) {}

  /** Begins, rewards, ends and reads rollouts, like the REST routes. */
  get rollouts(): RecordedRollouts {
    return this.recorder;
  }

  /** Returns the server once it listens. */
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

  /** Returns `http://ADDRESS:PORT`. */
  get origin(): string {
    return new URL(this.server.url).origin;
  }

  /** The version of the weights for the next sampled tokens. It is set within `changeWeights`. */
  get version(): number {
    return this.recorder.version;
  }

  set version(version: number) {
    this.recorder.version = version;
  }

  /** Resolves once no call is in progress; further calls wait until `resume`, or are asked to retry. */
  pause(): Promise<void> {
    return this.recorder.gate.close();
  }

  resume(): void {
    this.recorder.gate.open();
  }

  /** Changes the weights while no answer is in progress; earlier keys and values are not used again. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.server.changeWeights(apply);
  }

  /** Accepts no further request, and finishes the answers in progress. It closes neither the model nor the log. */
  close(): Promise<void> {
    return this.server.close();
  }
}
