// A server of a model for agents of any kind: each rollout has a base URL, and every call is recorded before its last byte is
// sent.
import { ModelServer, type ModelServerOptions } from '@bowyer/serving';
import type { RolloutOrigin } from '../record/log-event.js';
import { RolloutKeys } from '../record/record-key.js';
import type { RecordedRollout } from '../record/recorded.js';
import type { RolloutLog } from '../record/rollout-log.js';
import type { SplicePolicy } from '../tree/prompt.js';
import { TraceFile } from './traces/trace-file.js';
import { TraceOwners } from './traces/trace-owners.js';
import { traceRoutes } from './traces/trace-routes.js';
import { rolloutRoutes } from './rollout-routes.js';
import { Recorder, type GivenReward, type OpenRollout, type RolloutEnd } from './recorder.js';

export interface AgentServerOptions extends Omit<ModelServerOptions, 'observer' | 'protocols'> {
  /** The log; whoever opened it closes it, after the server. */
  log: RolloutLog;
  /** How a prompt repeats earlier answers after a new message of the user; `template` if not given. */
  splice?: SplicePolicy;
  /** Changes the bodies of requests before they are read, as with other prompts; they are recorded as changed. */
  bodyOf?: (rollout: string | null, body: unknown) => unknown;
  /** Milliseconds for which a call waits for a change of weights before its client is asked to retry; 120,000 if not given. */
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

  /** Returns the version of the weights that are sampled with from now on. It is set within `changeWeights`. */
  get version(): number {
    return this.recorder.version;
  }

  set version(version: number) {
    this.recorder.version = version;
  }

  /** Begins a rollout, as `POST /rollouts` does. One that has begun stays as it is; with a higher attempt it begins again. */
  begin(origin: RolloutOrigin, turn?: Promise<void>): Promise<OpenRollout> {
    return this.recorder.begin(origin, turn);
  }

  /** Rewards a rollout, as `POST /rollouts/ID/rewards` does. @returns whether the reward may count: the rollout was not learned from yet */
  reward(id: string, reward: GivenReward): Promise<boolean> {
    return this.recorder.reward(id, reward);
  }

  /** Adds metrics, as `POST /rollouts/ID/metrics` does. */
  metrics(id: string, metrics: Record<string, number>): Promise<void> {
    return this.recorder.metrics(id, metrics);
  }

  /** Ends a rollout, as `POST /rollouts/ID/end` does. */
  end(id: string, end?: RolloutEnd): Promise<void> {
    return this.recorder.end(id, end);
  }

  /** Notes that the rollout was learned from: later rewards do not count. */
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
