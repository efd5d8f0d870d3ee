// A server of a model for agents that exist already: each rollout has a base URL, and every call is recorded before its last byte is sent.
import { ModelServer, type ModelServerOptions } from '@bowyer/serving';
import type { RolloutOrigin } from '../record/log-event.js';
import { RolloutKeys } from '../record/record-key.js';
import type { RecordedRollout } from '../record/recorded.js';
import type { RolloutLog } from '../record/rollout-log.js';
import type { SplicePolicy } from '../tree/prompt.js';
import { TraceFile } from './traces/trace-file.js';
import { traceRoutes } from './traces/trace-routes.js';
import { rolloutRoutes } from './rollout-routes.js';
import { Recorder, type GivenReward, type OpenRollout, type RolloutEnd } from './recorder.js';

export interface AgentServerOptions extends Omit<ModelServerOptions, 'observer' | 'protocols'> {
  /** Closed by whoever opened it, after the server. */
  log: RolloutLog;
  /** How a dialogue with a new message of the user begins; `template` if not given. */
  splice?: SplicePolicy;
  /** Changes the bodies of requests before they are read, as with other prompts; they are recorded as changed. */
  bodyOf?: (rollout: string | null, body: unknown) => unknown;
  /** How long a call waits for a change of weights before its client is asked to come again, in milliseconds; 120,000 if not given. */
  longestWaitMs?: number;
}

export class AgentServer {
  private constructor(
    private readonly server: ModelServer,
    private readonly recorder: Recorder,
  ) {}

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
    const server = await ModelServer.listen({
      ...options,
      observer: recorder,
      protocols: () => [rolloutRoutes(recorder), traceRoutes(new TraceFile(log.folder))],
    });
    origin = new URL(server.url).origin;
    return new AgentServer(server, recorder);
  }

  /** `http://ADDRESS:PORT`. */
  get origin(): string {
    return new URL(this.server.url).origin;
  }

  /** The version of the weights that are sampled with from now on. Set it within `changeWeights`. */
  get version(): number {
    return this.recorder.version;
  }

  set version(version: number) {
    this.recorder.version = version;
  }

  /** As `POST /rollouts`. A rollout that has begun stays as it is; with a higher attempt it begins once more. */
  begin(origin: RolloutOrigin): Promise<OpenRollout> {
    return this.recorder.begin(origin);
  }

  /** As `POST /rollouts/ID/rewards`. @returns whether it may count: the rollout was not learnt yet */
  reward(id: string, reward: GivenReward): Promise<boolean> {
    return this.recorder.reward(id, reward);
  }

  /** As `POST /rollouts/ID/metrics`. */
  metrics(id: string, metrics: Record<string, number>): Promise<void> {
    return this.recorder.metrics(id, metrics);
  }

  /** As `POST /rollouts/ID/end`. */
  end(id: string, end?: RolloutEnd): Promise<void> {
    return this.recorder.end(id, end);
  }

  /** From now on no reward of the rollout counts. */
  learnt(id: string): Promise<void> {
    return this.recorder.learnt(id);
  }

  read(id: string): Promise<RecordedRollout> {
    return this.recorder.read(id);
  }

  /** Resolves once no call is in progress; further ones wait until `resume`, or are asked to come again. */
  pause(): Promise<void> {
    return this.recorder.gate.close();
  }

  resume(): void {
    this.recorder.gate.open();
  }

  /** Changes the weights when no answer is in progress; nothing that was computed before is used again. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.server.changeWeights(apply);
  }

  /** Accepts no further request, and finishes the answers in progress. The model and the log stay with their owners. */
  close(): Promise<void> {
    return this.server.close();
  }
}
