// Records the model calls, rewards and ends of rollouts: observes a model server and writes to the log of rollouts.
import type { IncomingMessage } from 'node:http';
import { Rng } from '@bowyer/core';
import {
  BadRequestError,
  type CallObserver,
  type Completed,
  type CompletionRequest,
  type ObservedCall,
  type OpenedCall,
} from '@bowyer/serving';
import { begunCall, recordedCalls, type BegunCall } from '../record/call-record.js';
import type { LogEvent, RolloutOrigin } from '../record/log-event.js';
import type { Place } from '../record/log-parts.js';
import type { RolloutKeys } from '../record/record-key.js';
import type { RecordedCall, RecordedRollout } from '../record/recorded.js';
import type { RolloutLog } from '../record/rollout-log.js';
import { checkMetrics, checkReward } from '../rewards/figure-bounds.js';
import { REWARD } from '../trajectories/final-rewards.js';
import { answerKeys } from '../tree/history.js';
import { splicedPrompt, type PromptSource } from '../tree/prompt.js';
import type { LiveRollout } from './live-rollout.js';
import { LiveRollouts } from './live-rollouts.js';
import { namedRollout, rolloutPath } from './rollout-address.js';
import { settledRequest } from './settled-request.js';
import { RolloutStateError, UnknownRolloutError } from './rollout-state-error.js';
import { WeightGate, type WeightGateOptions } from './weight-gate.js';

interface RecorderOptions extends WeightGateOptions {
  log: RolloutLog;
  keys: RolloutKeys;
  /** The tokenizer and the policy with which prompts are written; absent for a proxy, which writes no prompts. */
  prompts?: Pick<PromptSource, 'tokenizer' | 'policy'>;
  /** The seed, with the rollout's id and the call's number, for sampling answers whose request and rollout have none. */
  seed?: number;
  /** See `AgentServerOptions`: changes the bodies of requests before they are read. */
  bodyOf?: CallObserver['bodyOf'];
  /** Returns the server's address `http://ADDRESS:PORT`. */
  origin: () => string;
  onFault: (error: Error) => void;
}

/** The addresses and the API key by which an agent's program calls the model as part of its rollout. */
export interface OpenRollout {
  id: string;
  /** The base URL for clients of OpenAI's protocols, and for those of Anthropic's protocol that append only `/messages`. */
  baseURL: string;
  /** The base URL for Anthropic's SDK, which appends `/v1/messages`. */
  anthropicBaseURL: string;
  apiKey: string;
  /** The URL of the REST routes that read, reward and end the rollout. */
  url: string;
}

export interface GivenReward {
  value: number;
  name?: string;
  call?: number;
  key?: string;
}

/** A model call in progress. It ends when `keep` or `failed` is called. */
export interface TrackedCall {
  live: LiveRollout;
  begun: BegunCall;
  /** Writes the finished calls to the log. @param keys for each call, the keys of the dialogues that end with its answers */
  keep: (calls: readonly RecordedCall[], keys?: readonly (readonly string[])[]) => Promise<void>;
  undelivered: () => void;
  failed: (error: unknown) => void;
}

export interface RolloutEnd {
  status?: 'ended' | 'failed';
  reason?: string;
}

/** The methods of a recorder that callers in the server's process use. */
export type RecordedRollouts = Pick<Recorder, 'begin' | 'reward' | 'metrics' | 'end' | 'learnt' | 'read'>;

export class Recorder implements CallObserver {
  version = 0;
  readonly bodyOf: CallObserver['bodyOf'];
  readonly gate: WeightGate;
  readonly #live: LiveRollouts;
  #beginning: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: RecorderOptions) {
    this.gate = new WeightGate(options);
    this.bodyOf = options.bodyOf;
    this.#live = new LiveRollouts(options.log);
  }

  placeOf = (request: IncomingMessage, path: string): { path: string; rollout: string | null } =>
    rolloutPath(path) ?? { path, rollout: namedRollout(request.headers, this.options.keys) };

  rolloutOfKey = (key: string): string | null => this.options.keys.rolloutOf(key);

  /**
   * Begins a rollout. If a rollout with this id is in progress, nothing changes, unless `origin.attempt` is higher: the rollout
   * then begins again.
   *
   * @param begun the rollout's calls wait until it resolves; without it they do not wait
   * @throws {RolloutStateError} if the rollout has ended
   */
  async begin(origin: RolloutOrigin, begun?: Promise<void>): Promise<OpenRollout> {
    const { id } = origin;
    checkId(id);
    // The calls of `begin` run one after another, so that only one of two equal requests begins the rollout.
    const beginning = this.#beginning.then(() =>
      this.#live.use(id, (live) => Promise.resolve(this.#takeBeginning(origin, live, begun))),
    );
    this.#beginning = beginning.catch(() => undefined);
    const takeBack = await beginning;
    if (takeBack) await this.#append({ type: 'begun', at: Date.now(), ...origin }).catch(rethrowAfter(takeBack));
    return this.addressOf(id);
  }

  addressOf(id: string): OpenRollout {
    const url = `${this.options.origin()}/rollouts/${encodeURIComponent(id)}`;
    return { id, baseURL: `${url}/v1`, anthropicBaseURL: url, apiKey: this.options.keys.keyOf(id), url };
  }

  /**
   * Stores a reward, unless a reward with the same idempotency key was stored before. If several rewards have the same name and
   * call, the last one counts that arrives before the policy learns from the rollout.
   *
   * @returns whether the reward arrived in time to count
   * @throws {RolloutStateError} for a rollout or a call that is unknown
   * @throws {BadRequestError} for a number that is not finite, or too large to calculate with
   */
  reward(id: string, { value, name = REWARD, call, key }: GivenReward): Promise<boolean> {
    checkReward(value, name !== REWARD);
    return this.#known(id, async (live) => {
      if (call !== undefined && call >= live.calls)
        throw new RolloutStateError(`the rollout '${id}' has no call ${call}`);
      const isNew = live.takeKey(key);
      const reward = {
        value,
        name,
        ...(call !== undefined && { call }),
        ...(key !== undefined && { key }),
        at: Date.now(),
      };
      const append = () => this.#append({ type: 'reward', id, reward });
      if (isNew) await append().catch(rethrowAfter(() => live.giveBackKey(key)));
      return !live.isLearnt;
    });
  }

  /** Stores values of metrics by their names; the last value of each name counts. */
  metrics(id: string, metrics: Record<string, number>): Promise<void> {
    checkMetrics(metrics);
    return this.#known(id, async (live) => {
      live.takeMetrics(Object.keys(metrics));
      await this.#append({ type: 'metrics', id, metrics, at: Date.now() });
    });
  }

  /** Ends a rollout, which then accepts no further calls. If it is ended several times, the last status counts. */
  end(id: string, { status = 'ended', reason }: RolloutEnd = {}): Promise<void> {
    return this.#known(id, async (live) => {
      live.status = status;
      await this.#append({ type: 'ended', id, status, ...(reason !== undefined && { reason }), at: Date.now() });
    });
  }

  /** Records that the policy has learned from the rollout, so that rewards which arrive later do not count. */
  learnt(id: string): Promise<void> {
    return this.#known(id, async (live) => {
      live.isLearnt = true;
      await this.#append({ type: 'learnt', id, at: Date.now() });
    });
  }

  /** Reads the record of a rollout from the log. @throws {RolloutStateError} if the rollout is unknown */
  async read(id: string): Promise<RecordedRollout> {
    const rollout = await this.options.log.read(id);
    if (rollout === null) throw unknown(id);
    return rollout;
  }

  open = async (opened: OpenedCall): Promise<ObservedCall> => {
    const call = await this.track(opened);
    const { live, begun } = call;
    const { origin } = live;
    const { prompts, seed = 0 } = this.options;
    return {
      prompt: splicedPrompt({ ...prompts!, history: live.history, load: ({ place }) => this.#callAt(place) }),
      rng:
        origin.seed === undefined
          ? Rng.forPurpose(seed, `rollout ${begun.rollout} call ${begun.call}`)
          : Rng.forPurpose(origin.seed, `call ${begun.call}`),
      settled: (request) => settledRequest(request, origin),
      completed: (sent, request, completed) => call.keep(...this.#recorded(call, { sent, request, completed })),
      undelivered: call.undelivered,
      failed: call.failed,
    };
  };

  /** Begins a model call of a rollout, and first the rollout itself if it is unknown. @throws if the rollout has ended */
  async track(opened: OpenedCall): Promise<TrackedCall> {
    const id = opened.rollout;
    if (id === null) throw new BadRequestError(noRollout(this.options.origin()), null, 'not_found');
    checkId(id);
    if (!this.#live.has(id)) {
      const takeBack = this.#live.begin({ id });
      this.#append({ type: 'begun', at: Date.now(), id }).catch((error: unknown) => {
        takeBack();
        this.#report(error);
      });
    }
    const live = await this.#live.take(id);
    try {
      await live.begun;
      if (live.status !== 'open')
        throw new BadRequestError(`the rollout '${id}' has ended; begin another one`, null, 'not_found');
      const begun = begunCall(live.nextCall(), id, opened);
      await this.gate.enter();
      return this.#tracked(live, begun);
    } catch (error) {
      live.inUse--;
      throw error;
    }
  }

  #tracked(live: LiveRollout, begun: BegunCall): TrackedCall {
    const { rollout: id, call } = begun;
    let hasEnded = false;
    let kept: readonly RecordedCall[] = [];
    const end = () => {
      hasEnded = true;
      live.inUse--;
      this.gate.leave();
    };
    return {
      live,
      begun,
      keep: async (calls, keys = []) => {
        if (!live.isReplaced)
          await Promise.all(calls.map((each, i) => this.#keepCall(live, each, keys[i] ?? []))).finally(end);
        else end();
        kept = calls;
      },
      undelivered: () => {
        for (const each of kept) {
          live.undelivered(each);
          this.#append({ type: 'undelivered', id, call: each.call }).catch(this.#report);
        }
      },
      failed: (error) => {
        if (hasEnded) return;
        end();
        const text = error instanceof Error ? error.message : String(error);
        this.#append({ type: 'failure', id, call, error: text }).catch(this.#report);
      },
    };
  }

  /** Returns the records of a request's calls, and the keys of the dialogues that end with their answers. */
  #recorded(
    { live, begun }: TrackedCall,
    { sent, request, completed }: { sent: unknown; request: CompletionRequest; completed: Completed },
  ): [RecordedCall[], string[][]] {
    const begunCalls = request.prompts.map((_, p) => (p === 0 ? begun : { ...begun, call: live.nextCall() }));
    const calls = recordedCalls(begunCalls, sent, request, completed);
    const { chat } = request;
    return [calls, calls.map((call) => (chat ? answerKeys(chat, call) : []))];
  }

  async #keepCall(live: LiveRollout, call: RecordedCall, keys: readonly string[]): Promise<void> {
    const id = call.rollout;
    const first = live.supersededBy(call);
    const writing = [this.#append({ type: 'call', id, call, keys })];
    if (first !== undefined) writing.push(this.#append({ type: 'superseded', id, call: first, by: call.call }));
    const [place] = await Promise.all(writing);
    live.added(call, keys, place);
  }

  async #callAt(place: Place): Promise<RecordedCall> {
    const event = await this.options.log.eventAt(place);
    if (event.type !== 'call') throw new Error(`there is no call at byte ${place.offset} of part ${place.part}`);
    return event.call;
  }

  /**
   * Decides without awaiting anything whether a rollout begins, so that two equal requests cannot both begin it. Returns a
   * function that revokes the beginning; null if the rollout has already begun.
   */
  #takeBeginning(origin: RolloutOrigin, live: LiveRollout | null, begun?: Promise<void>): (() => void) | null {
    const { id, attempt = 0 } = origin;
    if (live === null || attempt > (live.origin.attempt ?? 0)) return this.#live.begin(origin, begun);
    if (live.status === 'open') return null;
    throw new RolloutStateError(`the rollout '${id}' has ended; a higher attempt begins it once more`);
  }

  #known<T>(id: string, work: (live: LiveRollout) => Promise<T>): Promise<T> {
    return this.#live.use(id, (live) => {
      if (live === null) throw unknown(id);
      return work(live);
    });
  }

  #append(event: LogEvent): Promise<Place> {
    return this.options.log.append(event);
  }

  #report = (error: unknown): void => this.options.onFault(error as Error);
}

/** Returns a handler that calls `undo` after a failure, and rethrows the error. */
const rethrowAfter =
  (undo: () => void) =>
  (error: unknown): never => {
    undo();
    throw error;
  };

const unknown = (id: string): UnknownRolloutError => new UnknownRolloutError(`there is no rollout '${id}'`);

function checkId(id: string): void {
  if (id === '' || id.length > 256) throw new BadRequestError('the id of a rollout has 1 to 256 characters', 'id');
}

const noRollout = (origin: string): string =>
  `this server records rollouts, and the request names none: use ${origin}/rollouts/ID/v1 as the base URL with an ID of your own, ` +
  'or send the header x-bowyer-rollout, or the key of a rollout';
