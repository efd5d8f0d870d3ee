// Plays the environment `sciworld`: ScienceWorld (Wang et al. 2022, arXiv:2203.07540) in its own simulator, a Java process.
// Rewards, the ends of episodes, and the task variations of each fold equal those of ScienceWorld's Python wrapper at commit
// e8216d6; see sciworld.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import type { SciWorldFold, SciWorldJavaOptions } from './options.js';
import { Simulator, type Moment } from './simulator.js';

interface SciWorldReset {
  seed?: number;
  /** The name of the task. If it is absent, the seed draws one. */
  task?: string;
  variation?: number;
  /** The fold (`train`, `dev` or `test`) of the variation; default: the fold in the environment's options, else `train`. */
  fold?: SciWorldFold;
}

/** The number of moves that ScienceWorld's Python wrapper allows in an episode. The next move truncates the episode. */
const MOVE_LIMIT = 100;

export class ScienceWorld implements Env {
  readonly #order = new EpisodeOrder('sciworld');
  #simulator: Simulator | null = null;
  #rng = new Rng(0);
  #world = { task: '', variation: 0, taskDescription: '' };
  #score = 0;
  #turns = 0;

  constructor(private readonly options: SciWorldJavaOptions) {}

  async reset({
    seed,
    task,
    variation,
    fold = this.options.fold ?? 'train',
  }: SciWorldReset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // No step is allowed until the simulator has answered.
    if (seed !== undefined) this.#rng = new Rng(seed);
    const simulator = await this.#open();
    const chosen = task ?? this.#rng.choice(this.options.tasks ?? (await simulator.taskNames()));
    const among = variationsOf(await simulator.variationCount(chosen), fold);
    if (variation === undefined && among.length === 0)
      throw new RangeError(`sciworld: the task '${chosen}' has no variation of fold ${fold}`);
    const number = variation ?? this.#rng.choice(among);
    const start = await simulator.load(chosen, number, this.options.simplifications);
    this.#world = { task: chosen, variation: number, taskDescription: await simulator.taskDescription() };
    [this.#score, this.#turns] = [start.score, 0];
    const info = await this.#info(simulator, start);
    this.#order.begin();
    return { observation: `${this.#world.taskDescription}\n${start.observation}`, info };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const simulator = await this.#open();
    const now = await simulator.step(action.split('\n', 1)[0].trim());
    this.#turns++;
    const reward = now.score - this.#score;
    this.#score = now.score;
    const terminated = now.completed || now.score < 0;
    const truncated = !terminated && (now.moves > MOVE_LIMIT || this.#turns >= (this.options.maxRounds ?? MOVE_LIMIT));
    if (terminated || truncated) this.#order.end();
    const info = await this.#info(simulator, now);
    return { observation: now.observation, reward, terminated, truncated, info };
  }

  async close(): Promise<void> {
    this.#order.close();
    await this.#simulator?.close();
    this.#simulator = null;
  }

  async #info(simulator: Simulator, { score, moves }: Moment): Promise<Record<string, unknown>> {
    const validActions = this.options.validActions ? await simulator.validActions() : [];
    return { ...this.#world, score, moves, won: score === 100, validActions };
  }

  /** Opens a connection to the simulator if there is none, or if the last one is broken. */
  async #open(): Promise<Simulator> {
    if (this.#simulator?.isBroken === true) {
      await this.#simulator.close();
      this.#simulator = null;
    }
    return (this.#simulator ??= await Simulator.open(this.options));
  }
}

/**
 * Returns a task's variations of a fold: the first half for training, the next quarter for development, the rest for the test. A
 * task with at most four is divided as in ScienceWorld's Python wrapper.
 */
export function variationsOf(count: number, fold: SciWorldFold): number[] {
  const all = [...Array(count).keys()];
  const few: Record<number, [dev: number, test: number]> = { 0: [0, 0], 2: [1, 1], 3: [1, 2], 4: [2, 3] };
  if (count === 1) return fold === 'dev' ? [] : [0]; // a single variation is in the training and the test
  const quarter = Math.floor(count / 4);
  const [dev, test] = few[count] ?? [2 * quarter, 3 * quarter];
  if (fold === 'train') return all.slice(0, dev);
  return fold === 'dev' ? all.slice(dev, test) : all.slice(test);
}
