// Records the calls, rewards and ends of rollouts: what a server of models shows to its observer becomes events of the log.
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
import type { Tokenizer } from '@bowyer/text';
import { begunCall, recordedCalls, type BegunCall } from '../record/call-record.js';
import type { LogEvent, RolloutOrigin } from '../record/log-event.js';
import type { Place } from '../record/log-parts.js';
import type { RolloutKeys } from '../record/record-key.js';
import type { RecordedCall, RecordedRollout } from '../record/recorded.js';
import type { RolloutLog } from '../record/rollout-log.js';
import { answerKeys } from '../tree/history.js';
import { splicedPrompt, type SplicePolicy } from '../tree/prompt.js';
import type { LiveRollout } from './live-rollout.js';
import { LiveRollouts } from './live-rollouts.js';
import { namedRollout, rolloutPath } from './rollout-address.js';
import { settledRequest } from './settled-request.js';
import { RolloutStateError, UnknownRolloutError } from './rollout-state-error.js';
import { WeightGate, type WeightGateOptions } from './weight-gate.js';

export interface RecorderOptions extends WeightGateOptions {
  log: RolloutLog;
  keys: RolloutKeys;
  tokenizer: Tokenizer;
  /** Of the answers to requests without one: each call of a rollout has random numbers of its own. */
  seed: number;
  splice: SplicePolicy;
  /** See `AgentServerOptions`. */
  bodyOf?: CallObserver['bodyOf'];
  /** Where the server listens. */
  origin: () => string;
  onFault: (error: Error) => void;
}

/** How an agent's program reaches its rollout. */
export interface OpenRollout {
  id: string;
  /** For clients of OpenAI's protocols, and those of Anthropic's that add `/messages`. */
  baseURL: string;
  /** For Anthropic's SDK, which adds `/v1/messages`. */
  anthropicBaseURL: string;
  apiKey: string;
  /** Of its state, rewards and end. */
  url: string;
}

export interface GivenReward {
  value: number;
  name?: string;
  call?: number;
  key?: string;
}

export interface RolloutEnd {
  status?: 'ended' | 'failed';
  reason?: string;
}

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

  knowsKey = (key: string): boolean => this.options.keys.rolloutOf(key) !== null;

  /** A rollout that has begun goes on; with a higher attempt it begins anew. @throws {RolloutStateError} where it has ended */
  async begin(origin: RolloutOrigin): Promise<OpenRollout> {
    const { id } = origin;
    checkId(id);
    // One after the other, so that two requests for the same rollout begin one.
    const isNew = this.#beginning.then(() =>
      this.#live.use(id, (live) => Promise.resolve(this.#takeBeginning(origin, live))),
    );
    this.#beginning = isNew.catch(() => undefined);
    if (await isNew) await this.#append({ type: 'begun', at: Date.now(), ...origin });
    return this.addressOf(id);
  }

  /** The addresses and the key of a rollout. */
  addressOf(id: string): OpenRollout {
    const url = `${this.options.origin()}/rollouts/${encodeURIComponent(id)}`;
    return { id, baseURL: `${url}/v1`, anthropicBaseURL: url, apiKey: this.options.keys.keyOf(id), url };
  }

  /**
   * Keeps a reward. A repeated key changes nothing. Of rewards of the same name for the same call, the last one before the rollout is
   * learnt counts.
   *
   * @returns whether it may count
   * @throws {RolloutStateError} for a rollout or a call that is unknown
   */
  reward(id: string, { value, name = 'reward', call, key }: GivenReward): Promise<boolean> {
    if (!Number.isFinite(value)) throw new RolloutStateError(`a reward is a finite number, not ${value}`);
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
      if (isNew) await this.#append({ type: 'reward', id, reward });
      return !live.isLearnt;
    });
  }

  /** Numbers by their names; of those of one name the last counts. */
  metrics(id: string, metrics: Record<string, number>): Promise<void> {
    return this.#known(id, async () => void (await this.#append({ type: 'metrics', id, metrics, at: Date.now() })));
  }

  /** The rollout takes no further calls. It may be ended again: the last status counts. */
  end(id: string, { status = 'ended', reason }: RolloutEnd = {}): Promise<void> {
    return this.#known(id, async (live) => {
      live.status = status;
      await this.#append({ type: 'ended', id, status, ...(reason !== undefined && { reason }), at: Date.now() });
    });
  }

  /** From now on nothing that is sent for the rollout counts. */
  learnt(id: string): Promise<void> {
    return this.#known(id, async (live) => {
      live.isLearnt = true;
      await this.#append({ type: 'learnt', id, at: Date.now() });
    });
  }

  /** @throws {RolloutStateError} where it is unknown */
  async read(id: string): Promise<RecordedRollout> {
    const rollout = await this.options.log.read(id);
    if (rollout === null) throw unknown(id);
    return rollout;
  }

  open = async (opened: OpenedCall): Promise<ObservedCall> => {
    const id = opened.rollout;
    if (id === null) throw new BadRequestError(noRollout(this.options.origin()), null, 'not_found');
    checkId(id);
    if (!this.#live.has(id)) {
      this.#live.begin({ id });
      this.#append({ type: 'begun', at: Date.now(), id }).catch(this.#report);
    }
    const live = await this.#live.take(id);
    try {
      if (live.status !== 'open')
        throw new BadRequestError(`the rollout '${id}' has ended; begin another one`, null, 'not_found');
      const begun = begunCall(live.nextCall(), id, opened);
      await this.gate.enter();
      return this.#observed(live, begun);
    } catch (error) {
      live.inUse--;
      throw error;
    }
  };

  #observed(live: LiveRollout, begun: BegunCall): ObservedCall {
    const { tokenizer, seed, splice } = this.options;
    const { rollout: id, call } = begun;
    const { origin } = live;
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      live.inUse--;
      this.gate.leave();
    };
    let kept: RecordedCall[] = [];
    return {
      prompt: splicedPrompt({
        history: live.history,
        load: ({ place }) => this.#callAt(place),
        tokenizer,
        policy: splice,
      }),
      rng:
        origin.seed === undefined
          ? Rng.forPurpose(seed, `rollout ${id} call ${call}`)
          : Rng.forPurpose(origin.seed, `call ${call}`),
      settled: (request) => settledRequest(request, origin),
      completed: async (sent, request, completed) => {
        kept = await this.#keep(live, begun, { sent, request, completed }).finally(end);
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
        this.#append({ type: 'failure', id, call, error: String((error as Error)?.message ?? error) }).catch(
          this.#report,
        );
      },
    };
  }

  /** @returns the calls once they are on disk */
  async #keep(
    live: LiveRollout,
    begun: BegunCall,
    { sent, request, completed }: { sent: unknown; request: CompletionRequest; completed: Completed },
  ): Promise<RecordedCall[]> {
    const begunCalls = request.prompts.map((_, p) => (p === 0 ? begun : { ...begun, call: live.nextCall() }));
    const calls = recordedCalls(begunCalls, sent, request, completed);
    if (!live.isReplaced) await Promise.all(calls.map((call) => this.#keepCall(live, call, request)));
    return calls;
  }

  async #keepCall(live: LiveRollout, call: RecordedCall, { chat }: CompletionRequest): Promise<void> {
    const id = call.rollout;
    const keys = chat ? answerKeys(chat, call) : [];
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

  /** Decides whether a rollout begins, in one turn. */
  #takeBeginning(origin: RolloutOrigin, live: LiveRollout | null): boolean {
    const { id, attempt = 0 } = origin;
    if (live === null || attempt > (live.origin.attempt ?? 0)) {
      this.#live.begin(origin);
      return true;
    }
    if (live.status === 'open') return false;
    throw new RolloutStateError(`the rollout '${id}' has ended; a higher attempt begins it anew`);
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

const unknown = (id: string): UnknownRolloutError => new UnknownRolloutError(`there is no rollout '${id}'`);

function checkId(id: string): void {
  if (id === '' || id.length > 256) throw new BadRequestError('the id of a rollout has 1 to 256 characters', 'id');
}

const noRollout = (origin: string): string =>
  `this server records rollouts, and the request names none: use ${origin}/rollouts/ID/v1 as the base URL with an ID of your own, ` +
  'or send the header x-bowyer-rollout, or the key of a rollout';
