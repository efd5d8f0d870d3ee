// Guess the number: an environment of your own with an expert to imitate, and a task of your own that measures the expert.
// From the root of a clone, or beside it in a copy of this folder (`npx bowyer` elsewhere asks the registry for another package):
//
//     npx bowyer --config-dir examples/own-environment --config-name guess_number
//     npx --prefix ../bowyer bowyer --config-dir . --config-name guess_number
//     npx bowyer --config-dir examples/own-environment --config-name guess_number task=measure_expert
import { count, mean, Rng } from '@bowyer/core';
import {
  defineEnvironment,
  EpisodeOrder,
  expertNoiseSchema,
  historyOffer,
  playDemonstrations,
  playedOptions,
  playedSet,
  registerEnvironment,
  resetSchemaWith,
  sharedSplits,
  type Env,
  type ExpertNoise,
  type ResetResult,
  type StepResult,
} from '@bowyer/envs';
import { environmentKeys, registerTask, runKeys, type TaskContext } from '@bowyer/runner';

interface GuessNumberOptions {
  highest: number;
  maxTurns: number;
}

/** Find a secret number. Reward −1 for a wrong guess, 0 for the right one. Observations contain the whole dialogue. */
class GuessNumber implements Env {
  readonly #order = new EpisodeOrder('guess_number');
  #rng = new Rng(0);
  #secret = 0;
  #turn = 0;
  #dialogue = '';
  /** The numbers that the answers so far allow: `low` to `high`. */
  #low = 1;
  #high = 0;

  constructor(private readonly options: GuessNumberOptions) {}

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#turn = 0;
    [this.#low, this.#high] = [1, this.options.highest];
    this.#secret = this.#rng.integer(1, this.options.highest);
    this.#dialogue = `Guess a number from 1 to ${this.options.highest}.\n`;
    return { observation: this.#dialogue, info: this.#info(false) };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    this.#turn++;
    const guess = /^\s*\d+\s*$/.test(action) ? Number(action) : NaN;
    const terminated = guess === this.#secret;
    const truncated = !terminated && this.#turn >= this.options.maxTurns;
    if (terminated || truncated) this.#order.end();
    this.#dialogue += `${action.trim()}\n${this.#answer(guess)}\n`;
    return {
      observation: this.#dialogue,
      reward: terminated ? 0 : -1,
      terminated,
      truncated,
      info: { ...this.#info(terminated), invalid: Number.isNaN(guess) },
    };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #answer(guess: number): string {
    if (Number.isNaN(guess)) return 'Please answer with an integer.';
    if (guess === this.#secret) return 'Correct.';
    if (guess < this.#secret) {
      this.#low = Math.max(this.#low, guess + 1);
      return 'Higher.';
    }
    this.#high = Math.min(this.#high, guess - 1);
    return 'Lower.';
  }

  /** For people, logs and the expert; a policy does not see it. */
  #info(won: boolean) {
    return { secret: this.#secret, low: this.#low, high: this.#high, won };
  }
}

/** The middle of what is still possible. */
const middle = ({ low, high }: Record<string, unknown>) => String(Math.floor((Number(low) + Number(high)) / 2));

const guessNumber = defineEnvironment<GuessNumberOptions, ExpertNoise>({
  name: 'guess_number',
  description: 'Find a secret number; every answer is higher, lower or correct.',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      highest: { description: 'The secret is from 1 to this number.', type: 'integer', minimum: 2, default: 20 },
      maxTurns: { description: 'Guesses after which the episode is cut.', type: 'integer', minimum: 1, default: 8 },
    },
  },
  resetSchema: resetSchemaWith(),
  make: (options) => new GuessNumber(options),
  context: () => historyOffer,
  critic: 'line',
  // A test has new games, not new numbers, and says so. Where every seed makes another item: splits: 'seeds'.
  splits: ({ highest }) => sharedSplits({ noun: 'numbers', count: highest, item: ({ secret }) => String(secret) }),
  sampleActions: ['1', '20', '7', 'seven', ''],
  // A beginner needs about half of the guesses that are allowed.
  typicalReturn: ({ maxTurns }) => -maxTurns / 2,
  demonstrations: {
    schema: expertNoiseSchema,
    make: async (options, request) =>
      playedSet(
        await playDemonstrations(
          new GuessNumber(options),
          { best: middle, random: (_, rng) => String(rng.integer(1, options.highest)) },
          playedOptions(request),
        ),
      ),
  },
  // Numbers that the demonstrations happen to leave out.
  vocabulary: ({ highest }) => Array.from({ length: highest }, (_, i) => `${i + 1}\n`),
});

registerEnvironment(guessNumber);

interface MeasureExpertConfig {
  seed: number;
  episodes: number;
  env: { name: string } & GuessNumberOptions;
}

async function measureExpert({ seed, episodes, env }: MeasureExpertConfig, { print }: TaskContext): Promise<void> {
  const played = await playDemonstrations(
    new GuessNumber(env),
    { best: middle, random: middle },
    { episodes, noise: 0, seed },
  );
  const returns = played.map((transitions) => transitions.reduce((sum, { reward }) => sum + reward, 0));
  print(`mean return of the expert over ${episodes} episodes: ${mean(returns).toFixed(2)}\n`);
}

registerTask({
  name: 'measure_expert',
  description: 'print the mean return of the expert of guess_number',
  keys: (choices) => ({ ...runKeys, ...environmentKeys(choices), episodes: count('episodes to play') }),
  plays: true,
  problems: ({ env }) =>
    (env as { name: string }).name === guessNumber.name
      ? []
      : [{ key: 'env.name', message: 'task=measure_expert plays guess_number only', remedy: 'write env=guess_number' }],
  load: () => Promise.resolve(measureExpert),
});
