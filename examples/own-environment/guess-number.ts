// Guess the number: the smallest environment that a run can train on, with an expert to imitate first.
//
//     npx bowyer --config-dir examples/own-environment --config-name guess_number
import { defineEnvironment, registerEnvironment } from '@bowyer/envs';

registerEnvironment(
  defineEnvironment({
    name: 'guess_number',
    reset: ({ rng }) => ({
      observation: 'Guess a number from 1 to 10.',
      state: { secret: rng.integer(1, 10), low: 1, high: 10 },
    }),
    step: (action, { state }) => {
      const guess = Number(action);
      if (guess === state.secret) return { observation: 'Correct.', reward: 1, terminated: true };
      if (guess < state.secret) state.low = Math.max(state.low, guess + 1);
      if (guess > state.secret) state.high = Math.min(state.high, guess - 1);
      return { observation: guess < state.secret ? 'Higher.' : 'Lower.' };
    },
    maxTurns: 4,
    expert: ({ state: { low, high } }) => String(Math.floor((low + high) / 2)),
  }),
);
