import { Rng } from '@bowyer/core';
import { checkEnv } from './check-env.js';
import { EnvContractError } from './checked-env.js';
import type { Env, ResetResult, StepResult } from './env.js';
import { EpisodeOrder } from './episode-order.js';

/** Counts to a random number. Each fault violates one clause of the contract. */
class Counter implements Env {
  #order = new EpisodeOrder('counter');
  static made = 0;
  readonly #id = ++Counter.made;
  #rng = new Rng(0);
  #left = 0;
  constructor(private readonly fault: string) {}

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    if (this.fault === 'reset after close') this.#order = new EpisodeOrder('counter');
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#left = this.#rng.integer(2, 9) + (this.fault === 'not reproducible' ? this.#id : 0);
    return { observation: `${this.#left}`, info: {} };
  }

  async step(_action: string): Promise<StepResult> {
    if (this.fault !== 'step at any time') this.#order.assertRunning();
    this.#left--;
    const terminated = this.#left <= 0 && this.fault !== 'endless';
    if (terminated) this.#order.end();
    const reward = this.fault === 'reward' ? NaN : -1;
    return {
      observation: `${this.#left}`,
      reward,
      terminated,
      truncated: terminated && this.fault === 'both ends',
      info: {},
    };
  }

  expertReply(): string | null {
    if (this.fault === 'asking') this.#left--;
    return this.fault === 'empty reply' ? '' : 'next';
  }

  async close() {
    if (this.fault === 'close once') this.#order.assertRunning();
    this.#order.close();
  }
}

const check = (fault: string) => checkEnv(() => new Counter(fault), { actions: ['next'], maxSteps: 50 });

test('an environment that keeps the contract passes', async () => {
  await expect(check('none')).resolves.toMatchObject({ episodes: 4 });
});

test.each([
  ['reward', /rewards must be finite numbers; got NaN/],
  ['both ends', /never both be true/],
  ['not reproducible', /must give the same episode; two environments differ at the first observation/],
  ['step at any time', /step\(\) before the first reset\(\) must reject[^]*step\(\) after the end/],
  ['asking', /must give the same episode; two environments differ at step 1/],
  ['empty reply', /expertReply\(\) must return a reply/],
  ['endless', /still ran after 50 steps/],
  ['reset after close', /reset\(\) after close\(\) must reject/],
])('the fault “%s” is named', async (fault, message) => {
  const error = await check(fault).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(EnvContractError);
  expect((error as Error).message).toMatch(message);
});
