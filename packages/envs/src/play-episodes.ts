// Plays many episodes at the same time. Each slot has an environment of its own, and one call of the policy acts for all slots
// that are ready. A slow or broken environment delays or ends only its own episode.
import { checkedEnv } from './contract/checked-env.js';
import type { Env, ResetResult, StepResult } from './contract/env.js';

/** A slot (one of the environments that play in parallel) that waits for an action of the policy. */
export interface ReadyTurn {
  slot: number;
  episode: number;
  /** The number of the turn. 0 begins an episode: the policy must discard what it keeps for this slot, such as a KV cache. */
  turn: number;
  observation: string;
  /** The environment's own observation, if `observation` is another text, which the config's node `context` composed. */
  state?: string;
  /** The ids of the examples that the episode memory put into the observation. */
  retrieved?: string[];
  validActions?: readonly string[];
  /** The reply of the environment's expert in the same state, if `asksExpert` is set. */
  expertReply?: string | null;
}

/** The policy's action, with data that is stored together with the turn (log-probabilities, token ids). */
export interface Decision<T> {
  action: string;
  data?: T;
}

export interface PlayedTurn<T> {
  observation: string;
  /** The environment's own observation, as in `ReadyTurn`. */
  state?: string;
  /** The ids of the examples in the observation, as in `ReadyTurn`. */
  retrieved?: string[];
  action: string;
  nextObservation: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
  data?: T;
}

export interface PlayedEpisode<T> {
  episode: number;
  seed: number;
  /** The id of the played item, if the `info` of the reset has it. */
  item?: string;
  /** The task's description, if the `info` of the reset has it. */
  task?: string;
  slot: number;
  /** The turns of the episode; if the episode failed, those before the failure. */
  turns: PlayedTurn<T>[];
  episodicReturn: number;
  /** The error with which the environment or the policy's decision ended the episode; null if there was none. */
  error: Error | null;
}

export interface PlayEpisodesOptions<T> {
  /** Makes the environment of a slot. It is called again after that environment broke. */
  makeEnv: (slot: number) => Env | Promise<Env>;
  slots: number;
  episodes: number;
  /**
   * Decides before each episode whether it begins; it is called in the order of the episodes, and the slot waits for its result.
   * After the result false, no further episode begins. Default: every episode begins at once.
   */
  admit?: (episode: number) => Promise<boolean>;
  /** Returns the seed of an episode. With the same seeds and a deterministic policy, two runs play the same episodes. */
  seeds: (episode: number) => number;
  /** Returns the options of `reset` for an episode, in addition to the seed. */
  reset?: (episode: number) => { episode?: number };
  /**
   * Returns the policy's decisions for all ready turns, in their order. An Error instead of a decision ends that episode as
   * failed; its environment plays further episodes. If `act` throws, `playEpisodes` throws.
   */
  act: (ready: ReadyTurn[]) => Promise<(string | Decision<T> | Error)[]> | (string | Decision<T> | Error)[];
  onEpisode?: (episode: PlayedEpisode<T>) => void;
  /** Whether the environment's expert is asked for its reply at every turn. */
  asksExpert?: boolean;
  /** Whether `act` waits for all slots that play, so that batches do not depend on the speed of each environment. */
  together?: boolean;
  /** The number of successive failures after which a slot is not used any more. */
  retireAfter?: number;
}

/**
 * Plays `episodes` episodes in `slots` environments and returns them in episode order.
 *
 * A free slot takes the next episode. `act` gets the ready slots in ascending order. Environments that answer within the same
 * turn of the event loop, as all built-in ones do, are always ready together, so that their batches and trajectories depend only
 * on the seeds.
 */
export async function playEpisodes<T = undefined>(options: PlayEpisodesOptions<T>): Promise<PlayedEpisode<T>[]> {
  const { episodes, onEpisode } = options;
  const all: PlayedEpisode<T>[] = [];
  const { lastError } = await streamEpisodes({
    ...options,
    onEpisode: (played) => {
      all[played.episode] = played;
      onEpisode?.(played);
    },
  });
  for (let episode = 0; episode < episodes; episode++) all[episode] ??= unplayed(episode, options, lastError);
  return all;
}

/** Returns the result for an episode that was not played, since no slot was left in use. */
const unplayed = <T>(
  episode: number,
  { seeds }: Pick<PlayEpisodesOptions<T>, 'seeds'>,
  lastError: Error | null,
): PlayedEpisode<T> => ({
  episode,
  seed: seeds(episode),
  slot: -1,
  turns: [],
  episodicReturn: 0,
  error: new Error(`not played: every slot was retired, the last one after: ${lastError?.message}`),
});

/**
 * Plays episodes like `playEpisodes`, but passes each only to `onEpisode` and does not keep it in memory.
 * @returns the last error that broke an environment; episodes remain unplayed only if no slot was left in use
 */
export async function streamEpisodes<T = undefined>(
  options: PlayEpisodesOptions<T>,
): Promise<{ lastError: Error | null }> {
  const { slots, episodes, act, onEpisode } = options;
  if (!(slots >= 1)) throw new RangeError(`playEpisodes: slots is ${slots}; at least one is needed`);
  const scheduler = new SlotScheduler(options);
  try {
    for (let slot = 0; slot < Math.min(slots, episodes); slot++) scheduler.startNext(slot);
    while (scheduler.busy > 0) {
      const ready = await scheduler.ready();
      for (const played of scheduler.takeFinished()) onEpisode?.(played);
      if (ready.length === 0) continue;
      const decisions = await act(ready);
      if (decisions.length !== ready.length) {
        throw new RangeError(
          `playEpisodes: act returned ${decisions.length} decisions for ${ready.length} ready turns`,
        );
      }
      ready.forEach((turn, i) => scheduler.step(turn, decisions[i]));
    }
    for (const played of scheduler.takeFinished()) onEpisode?.(played);
    return { lastError: scheduler.lastError };
  } finally {
    await scheduler.close();
  }
}

interface Slot<T> {
  env: Env | null;
  failuresInARow: number;
  current: PlayedEpisode<T> | null;
}

class SlotScheduler<T> {
  readonly #slots: Slot<T>[];
  lastError: Error | null = null;
  #next = 0;
  #isAdmitting = true;
  /** The number of slots whose environment is executing a reset or a step. */
  #pending = 0;
  #ready: ReadyTurn[] = [];
  #finished: PlayedEpisode<T>[] = [];
  #wake: () => void = () => {};
  /** The promises of closing broken environments, which are awaited only at the end. */
  readonly #closing: Promise<void>[] = [];

  constructor(private readonly options: PlayEpisodesOptions<T>) {
    this.#slots = Array.from({ length: options.slots }, () => ({ env: null, failuresInARow: 0, current: null }));
  }

  get busy(): number {
    return this.#pending + this.#ready.length;
  }

  /** Waits until a slot is ready, and one turn of the event loop, to include all environments that answer at once. */
  async ready(): Promise<ReadyTurn[]> {
    const wake = () => new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#ready.length === 0 && this.#pending > 0) await wake();
    while (this.options.together && this.#pending > 0) await wake();
    await new Promise<void>((resolve) => setImmediate(resolve));
    const ready = this.#ready.sort((a, b) => a.slot - b.slot);
    this.#ready = [];
    return ready;
  }

  /** Returns the episodes that have ended since the last call, in the order in which they ended. */
  takeFinished(): PlayedEpisode<T>[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  startNext(slot: number): void {
    if (this.#next >= this.options.episodes || !this.#isAdmitting) return;
    const episode = this.#next++;
    const seed = this.options.seeds(episode);
    const state = this.#slots[slot];
    const played: PlayedEpisode<T> = { episode, seed, slot, turns: [], episodicReturn: 0, error: null };
    state.current = played;
    this.#work(slot, async () => {
      if (this.options.admit && !(await this.options.admit(episode))) return void (this.#isAdmitting = false);
      state.env ??= checkedEnv(await this.options.makeEnv(slot));
      const result = await state.env.reset({ seed, ...this.options.reset?.(episode) });
      const { info } = result;
      if (info.item !== undefined) played.item = String(info.item);
      if (typeof info.taskDescription === 'string') played.task = info.taskDescription;
      this.#wait({ slot, episode, turn: 0 }, result);
    });
  }

  step(ready: ReadyTurn, decision: string | Decision<T> | Error): void {
    const { slot, turn, episode } = ready;
    if (decision instanceof Error) return this.#end(slot, decision);
    const { action, data } = typeof decision === 'string' ? { action: decision, data: undefined } : decision;
    const state = this.#slots[slot];
    this.#work(slot, async () => {
      const result = await state.env!.step(action);
      this.#record(state.current!, ready, { action, data }, result);
      if (result.terminated || result.truncated) return this.#finish(slot, null);
      this.#wait({ slot, episode, turn: turn + 1 }, result);
    });
  }

  #wait(turn: Pick<ReadyTurn, 'slot' | 'episode' | 'turn'>, result: ResetResult): void {
    const { observation, info } = result;
    const advice = this.options.asksExpert && { expertReply: this.#slots[turn.slot].env!.expertReply?.() ?? null };
    this.#ready.push({ ...turn, observation, ...readOf(result), ...validActionsOf(info), ...advice });
  }

  #record(played: PlayedEpisode<T>, ready: ReadyTurn, said: { action: string; data?: T }, result: StepResult): void {
    const { observation: nextObservation, reward, terminated, truncated, info } = result;
    const turn: PlayedTurn<T> = {
      observation: ready.observation,
      ...readOf(ready),
      action: said.action,
      nextObservation,
      reward,
      terminated,
      truncated,
      info,
    };
    if (said.data !== undefined) turn.data = said.data;
    played.turns.push(turn);
    played.episodicReturn += reward;
  }

  /** Executes a reset or a step of a slot's environment. If it throws, the episode ends and the environment is replaced. */
  #work(slot: number, task: () => Promise<void>): void {
    this.#pending++;
    const settle = (error: Error | null) => {
      this.#pending--;
      if (error !== null) this.#finish(slot, error);
      this.#wake();
    };
    task().then(
      () => settle(null),
      (error: unknown) => settle(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Ends an episode of a slot whose environment works and plays the next episode. */
  #end(slot: number, error: Error | null): void {
    this.#store(slot, error);
    this.startNext(slot);
  }

  #store(slot: number, error: Error | null): void {
    const state = this.#slots[slot];
    const played = state.current!;
    state.current = null;
    played.error = error;
    this.#finished.push(played);
  }

  /** Ends an episode. @param error of the environment, which is then closed and replaced; null if there was none */
  #finish(slot: number, error: Error | null): void {
    this.#store(slot, error);
    const state = this.#slots[slot];
    if (error === null) {
      state.failuresInARow = 0;
    } else {
      this.lastError = error;
      state.failuresInARow++;
      const broken = state.env;
      state.env = null;
      // The error that broke the environment is reported, so that an error of closing it is ignored.
      if (broken) this.#closing.push(broken.close().catch(() => {}));
      if (state.failuresInARow >= (this.options.retireAfter ?? 3)) return;
    }
    this.startNext(slot);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing, ...this.#slots.map(({ env }) => env?.close())]);
  }
}

const readOf = ({ state, retrieved }: Pick<ReadyTurn, 'state' | 'retrieved'>) => ({
  ...(state !== undefined && { state }),
  ...(retrieved !== undefined && { retrieved }),
});

const validActionsOf = ({ validActions }: Record<string, unknown>) =>
  Array.isArray(validActions) ? { validActions: validActions as string[] } : {};
