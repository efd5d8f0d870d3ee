import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';

interface MixedEnv {
  label: string;
  make: () => Env;
}

interface MixtureReset {
  seed?: number;
  /** The index of the member environment that plays the episode. If it is absent, the seed draws one. */
  member?: number;
  /** The options with which the member environment is reset; default: only a seed. */
  memberReset?: Record<string, unknown>;
}

/** An environment whose episodes are each played in one of several member environments. `info.env` is the label of the member. */
export class Mixture implements Env {
  readonly #order = new EpisodeOrder('mixture');
  readonly #open = new Map<number, Env>();
  #rng = new Rng(0);
  #playing = 0;

  /** Makes a mixture of member environments, each of which is created before its first episode. */
  constructor(private readonly members: readonly MixedEnv[]) {
    if (members.length === 0) throw new RangeError('mixture: env.envs is empty: list one environment at least');
  }

  async reset({ seed, member, memberReset }: MixtureReset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // No step is allowed until the member has answered.
    if (seed !== undefined) this.#rng = Rng.forPurpose(seed, 'mixture');
    const drawn = this.#rng.integer(0, this.members.length - 1);
    const ownSeed = this.#rng.uint32();
    this.#playing = member ?? drawn;
    const env = this.#open.get(this.#playing) ?? this.members[this.#playing].make();
    this.#open.set(this.#playing, env);
    const { observation, info } = await env.reset(memberReset ?? { seed: ownSeed });
    this.#order.begin();
    return { observation, info: this.#named(info) };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const result = await this.#open.get(this.#playing)!.step(action);
    if (result.terminated || result.truncated) this.#order.end();
    return { ...result, info: this.#named(result.info) };
  }

  async close(): Promise<void> {
    this.#order.close();
    await Promise.all([...this.#open.values()].map((env) => env.close()));
  }

  #named(info: Record<string, unknown>): Record<string, unknown> {
    return { ...info, env: this.members[this.#playing].label };
  }
}
