// Plays many episodes at once: each slot has an environment, a policy acts for those that are ready, and a slow or broken
// environment delays or ends only its own episode.
import { checkedEnv } from './contract/checked-env.js';
import type { Env, ResetResult, StepResult } from './contract/env.js';

/** A slot that waits for the policy. */
export interface ReadyTurn {
  slot: number;
  episode: number;
  /** The number of the turn; 0 on the first turn of an episode, at which a policy must drop the state that it keeps for this slot. */
  turn: number;
  observation: string;
  /** The environment's own observation, where the context's text differs from it. */
  state?: string;
  /** Ids of the examples that a memory has put into the text. */
  retrieved?: string[];
  /** The actions that the environment accepts now, if its `info` lists them. */
  validActions?: readonly string[];
  /** The reply of the environment's expert at this turn, with `asksExpert`. */
  expertReply?: string | null;
}

/** The policy's action, with data that is kept with the turn (log-probabilities, token ids). */
export interface Decision<T> {
  action: string;
  data?: T;
}

export interface PlayedTurn<T> {
  observation: string;
  /** See `ReadyTurn`. */
  state?: string;
  /** See `ReadyTurn`. */
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
  /** Id of the item that was played, where the environment names it in the `info` of its reset. */
  item?: string;
  /** The task, where the environment gives it in the `info` of its reset. */
  task?: string;
  slot: number;
  /** The turns; a failed episode keeps those before the failure. */
  turns: PlayedTurn<T>[];
  /** Undiscounted sum of the rewards. */
  episodicReturn: number;
  /** The error of the environment or of the policy's decision; null if the episode ended without one. */
  error: Error | null;
}

export interface PlayEpisodesOptions<T> {
  /** Makes an environment, once for each slot, and again for a slot whose environment broke. */
  makeEnv: (slot: number) => Env | Promise<Env>;
  slots: number;
  episodes: number;
  /**
   * Decides before each episode, in their order, whether it begins; the slot waits for it. False: neither this episode nor
   * another one begins. Every episode begins at once if not given.
   */
  admit?: (episode: number) => Promise<boolean>;
  /** Returns the seed of an episode: two runs with the same seeds and a deterministic policy play the same games. */
  seeds: (episode: number) => number;
  /** Returns further options of `reset` for an episode. */
  reset?: (episode: number) => { episode?: number };
  /**
   * Decides for each ready turn, in the same order. An error in a decision's place ends that episode as failed, and its
   * environment plays the next one. If it throws, the whole run throws.
   */
  act: (ready: ReadyTurn[]) => Promise<(string | Decision<T> | Error)[]> | (string | Decision<T> | Error)[];
  /** Takes episodes in the order in which they end. */
  onEpisode?: (episode: PlayedEpisode<T>) => void;
  /** Whether every turn comes with the reply of the environment's expert. */
  asksExpert?: boolean;
  /** Whether to wait until all slots in play are ready, so that batches do not depend on how long each slot takes. */
  together?: boolean;
  /** The number of failures in a row after which a slot plays no further episodes. */
  retireAfter?: number;
}

/**
 * Plays `episodes` episodes in `slots` environments and returns them in episode order.
 *
 * A freed slot takes the next episode. `act` gets the slots that are ready, lowest slot first; environments that
 * answer within the same turn of the event loop (all embedded ones) are always ready together, so for them the
 * batches, and with them the trajectories, depend on the seeds alone.
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

/** Returns an episode that no slot was left to play, as failed with the last error. */
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
 * Returns the same as `playEpisodes`, for more episodes than memory has room for: each is given to `onEpisode` alone.
 *
 * @returns the last error that broke an environment; episodes are left over only where every slot was retired
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
  /** The number of slots whose environment is working on a reset or a step. */
  #pending = 0;
  #ready: ReadyTurn[] = [];
  #finished: PlayedEpisode<T>[] = [];
  #wake: () => void = () => {};
  /** Environments that broke and are being closed; only the end of the run waits for them. */
  readonly #closing: Promise<void>[] = [];

  constructor(private readonly options: PlayEpisodesOptions<T>) {
    this.#slots = Array.from({ length: options.slots }, () => ({ env: null, failuresInARow: 0, current: null }));
  }

  get busy(): number {
    return this.#pending + this.#ready.length;
  }

  /** Waits until a slot is ready, then one turn of the event loop more, so that all who answer at once are counted. */
  async ready(): Promise<ReadyTurn[]> {
    const wake = () => new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#ready.length === 0 && this.#pending > 0) await wake();
    while (this.options.together && this.#pending > 0) await wake();
    await new Promise<void>((resolve) => setImmediate(resolve));
    const ready = this.#ready.sort((a, b) => a.slot - b.slot);
    this.#ready = [];
    return ready;
  }

  /** Returns the episodes that ended since the last call, in the order of their ends. */
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

  /** Adds a slot to those that are ready for the policy. */
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

  /** Runs one reset or step of a slot; what it throws ends the slot's episode and replaces its environment. */
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

  /** Ends an episode whose environment can be used again. */
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

  /** Ends an episode. @param error of the environment, which it broke */
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
      // Closing a broken environment may fail too; the first error is reported.
      if (broken) this.#closing.push(broken.close().catch(() => {}));
      if (state.failuresInARow >= (this.options.retireAfter ?? 3)) return;
    }
    this.startNext(slot);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing, ...this.#slots.map(({ env }) => env?.close())]);
  }
}

/** Returns the environment's own observation and the retrieved ids, if the agent reads another text. */
const readOf = ({ state, retrieved }: Pick<ReadyTurn, 'state' | 'retrieved'>) => ({
  ...(state !== undefined && { state }),
  ...(retrieved !== undefined && { retrieved }),
});

const validActionsOf = ({ validActions }: Record<string, unknown>) =>
  Array.isArray(validActions) ? { validActions: validActions as string[] } : {};
