// Guess the number with options, observations that contain the whole dialogue, and a task that measures the expert.
// From the root of a clone, or beside it in a copy of this folder (`npx bowyer` elsewhere asks the registry for another package):
//
//     npx bowyer --config-dir examples/own-task --config-name guess_number
//     npx --prefix ../bowyer bowyer --config-dir . --config-name guess_number
//     npx bowyer --config-dir examples/own-task --config-name guess_number task=measure_expert
import { integer, mean, unitOptions } from '@bowyer/core';
import {
  defineEnvironment,
  historyOffer,
  makeEnv,
  playEpisodes,
  registerEnvironment,
  sharedSplits,
} from '@bowyer/envs';
import { environmentKeys, registerTask, runKeys, type TaskConfig, type TaskContext } from '@bowyer/runner';

interface GuessNumberOptions {
  highest: number;
  maxTurns: number;
}

/** A game, with the range of the numbers that agree with the answers so far. */
interface Game {
  secret: number;
  low: number;
  high: number;
  dialogue: string;
}

/** Narrows the range by a guess, and returns the answer to it. */
function answer(game: Game, guess: number): string {
  if (Number.isNaN(guess)) return 'Please answer with an integer.';
  if (guess === game.secret) return 'Correct.';
  if (guess < game.secret) {
    game.low = Math.max(game.low, guess + 1);
    return 'Higher.';
  }
  game.high = Math.min(game.high, guess - 1);
  return 'Lower.';
}

/** Information for people and logs; a policy does not see it. */
const infoOf = ({ secret, low, high }: Game, won: boolean) => ({ secret, low, high, won });

const guessNumber = defineEnvironment<Game, GuessNumberOptions>({
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
  reset: ({ options: { highest }, rng }) => {
    const dialogue = `Guess a number from 1 to ${highest}.\n`;
    const state = { secret: rng.integer(1, highest), low: 1, high: highest, dialogue };
    return { observation: dialogue, state, info: infoOf(state, false) };
  },
  step: (action, { state }) => {
    const guess = /^\s*\d+\s*$/.test(action) ? Number(action) : NaN;
    const terminated = guess === state.secret;
    state.dialogue += `${action.trim()}\n${answer(state, guess)}\n`;
    const info = { ...infoOf(state, terminated), invalid: Number.isNaN(guess) };
    return { observation: state.dialogue, reward: terminated ? 0 : -1, terminated, info };
  },
  maxTurns: ({ maxTurns }) => maxTurns,
  expert: ({ state: { low, high } }) => String(Math.floor((low + high) / 2)),
  context: () => historyOffer,
  critic: {
    kind: 'line',
    // A beginner needs about half of the allowed guesses.
    typicalReturn: ({ maxTurns }) => -maxTurns / 2,
  },
  // The games of a test are new, but their numbers are not.
  splits: ({ highest }) => sharedSplits({ noun: 'numbers', count: highest, item: ({ secret }) => String(secret) }),
  sampleActions: ['1', '20', '7', 'seven', ''],
  // Numbers that are missing from the demonstrations by chance.
  tokens: { vocabulary: ({ highest }) => Array.from({ length: highest }, (_, i) => `${i + 1}\n`) },
});

registerEnvironment(guessNumber);

const measureExpertOptions = unitOptions({ episodes: integer(1000, 'episodes to play') });

type MeasureExpertConfig = TaskConfig<typeof measureExpertOptions> & {
  seed: number;
  env: { name: string } & GuessNumberOptions;
};

async function measureExpert(config: MeasureExpertConfig, { print }: TaskContext): Promise<void> {
  const { seed, env } = config;
  const { episodes } = config.task;
  const { name, ...options } = env;
  const played = await playEpisodes({
    makeEnv: () => makeEnv(name, options),
    slots: 1,
    episodes,
    seeds: (episode) => seed + episode,
    asksExpert: true,
    act: (ready) => ready.map(({ expertReply }) => expertReply!),
  });
  const returns = played.map(({ episodicReturn }) => episodicReturn);
  print(`mean return of the expert over ${episodes} episodes: ${mean(returns).toFixed(2)}\n`);
}

registerTask({
  name: 'measure_expert',
  description: 'print the mean return of the expert of guess_number',
  keys: (choices) => ({ ...runKeys, ...environmentKeys(choices), task: measureExpertOptions }),
  plays: true,
  problems: ({ env }) =>
    (env as { name: string }).name === guessNumber.name
      ? []
      : [{ key: 'env.name', message: 'task=measure_expert plays guess_number only', remedy: 'write env=guess_number' }],
  load: () => Promise.resolve(measureExpert),
});
