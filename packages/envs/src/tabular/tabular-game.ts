// Plays the environment `tabular`, whose exact values test whether an algorithm learns them; see tabular.md.
import { integer, maximum, Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { epsilonGreedy, optimalValues } from './exact-values.js';
import { actionsOf, towerModel, type Outcome, type TabularModel } from './model.js';
import { options, type OptionsOf } from '../option.js';

export const tabularSchema = options({
  maxSteps: integer(20, 'Steps after which an episode that has not ended is truncated.'),
});

export type TabularOptions = OptionsOf<typeof tabularSchema>;

/** The `info` of a reset and of every step. */
export interface TabularInfo extends Record<string, unknown> {
  state: string | null;
  validActions: readonly string[];
  /** Whether the agent's text is not one of the actions. */
  invalid: boolean;
  /** Whether the episode ended with the largest reward of the game. */
  won: boolean;
}

/** The reward for a text that is not an action. Such a text does not change the state. */
const INVALID_REWARD = -0.1;
const END = 'end';

/** Plays the game of a table. An observation is only the state's name, so that histories to the same state look the same. */
export class TabularGame implements Env {
  readonly #order = new EpisodeOrder('tabular');
  readonly #actions: readonly string[];
  readonly #treasure: number;
  #rng = new Rng(0);
  #state: string | null = null;
  #steps = 0;
  #best: ReturnType<typeof epsilonGreedy> | null = null;

  constructor(
    private readonly options: TabularOptions,
    private readonly model: TabularModel = towerModel,
  ) {
    this.#actions = actionsOf(model);
    const outcomes = Object.values(model.states).flatMap((actions) => Object.values(actions).flat());
    this.#treasure = maximum(outcomes.map(({ reward }) => reward));
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const starts = Object.entries(this.model.start).map(([next, probability]) => ({ next, probability }));
    this.#state = this.#draw(starts).next;
    this.#steps = 0;
    return { observation: this.#text(), info: this.#info(false, false) };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#steps++;
    const outcomes = this.#outcomes(action.trim());
    let reward = INVALID_REWARD;
    if (outcomes !== undefined) {
      const outcome = this.#draw(outcomes);
      reward = outcome.reward;
      this.#state = outcome.next;
    }
    const terminated = this.#state === null;
    const truncated = !terminated && this.#steps >= this.options.maxSteps;
    if (terminated || truncated) this.#order.end();
    const info = this.#info(outcomes === undefined, terminated && reward === this.#treasure);
    return { observation: this.#text(), reward, terminated, truncated, info };
  }

  /** Returns an optimal action in the current state, as if episodes had no turn limit. */
  expertReply(): string {
    this.#best ??= epsilonGreedy(this.model, optimalValues(this.model, { gamma: 1 }), 0);
    const chances = this.#best[this.#state!];
    return Object.keys(chances).find((action) => chances[action] === 1)!;
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #outcomes(action: string): readonly Outcome[] | undefined {
    return this.#actions.includes(action) ? this.model.states[this.#state!][action] : undefined;
  }

  #draw<T extends { probability: number }>(items: readonly T[]): T {
    let rest = this.#rng.uniform();
    return items.find(({ probability }) => (rest -= probability) < 0) ?? items.at(-1)!;
  }

  #text(): string {
    return `${this.#state ?? END}\n`;
  }

  #info(invalid: boolean, won: boolean): TabularInfo {
    return { state: this.#state, validActions: this.#actions, invalid, won };
  }
}
