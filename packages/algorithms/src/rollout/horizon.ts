// Limits the turns of an episode by the iteration, so that episodes become longer as training continues.
// Source: ScalingInter-RL of AgentGym-RL, Xi et al. 2025, arXiv:2509.08755, whose `rounds` are the numbers of turns here.
import type { Env, WrappingEnv } from '@bowyer/envs';

/** Bounds [iteration, turns]: from this iteration on, an episode has at most that many turns. */
export type Horizon = readonly (readonly [number, number])[];

/** Returns the limit in an iteration; null without a limit. */
export function horizonAt(horizon: Horizon | null | undefined, iteration: number): number | null {
  const begun = (horizon ?? []).filter(([from]) => from <= iteration);
  return begun.length === 0 ? null : begun.reduce((latest, stage) => (stage[0] >= latest[0] ? stage : latest))[1];
}

/** Wraps environments so that their episodes are truncated after `turns` turns. */
export const withHorizon = <Args extends unknown[]>(
  makeEnv: ((...args: Args) => Env) | null,
  turns: number | null,
): ((...args: Args) => Env) | null =>
  makeEnv === null || turns === null ? makeEnv : (...args) => new HorizonEnv(makeEnv(...args), turns);

/** Truncates the episodes of an environment. They are not terminated, since more turns would have followed. */
class HorizonEnv implements WrappingEnv {
  #turn = 0;

  constructor(
    readonly inner: Env,
    private readonly turns: number,
  ) {}

  reset(options?: { seed?: number }) {
    this.#turn = 0;
    return this.inner.reset(options);
  }

  async step(action: string) {
    const result = await this.inner.step(action);
    const isCut = ++this.#turn >= this.turns && !result.terminated;
    return isCut ? { ...result, truncated: true } : result;
  }

  expertReply() {
    return this.inner.expertReply?.() ?? null;
  }

  close() {
    return this.inner.close();
  }
}
