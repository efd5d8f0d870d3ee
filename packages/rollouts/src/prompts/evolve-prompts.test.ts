import { Rng } from '@bowyer/core';
import { bestPrompts, evolvePrompts, type EvolutionParts, type EvolutionState } from './evolve-prompts.js';
import type { Prompts } from './candidates.js';

/**
 * Each task names a word that a text must contain for the agent to succeed. The reflector adds the first missing word, which
 * it finds in the feedback alone.
 */
const words = ['units', 'limits', 'dates', 'currency'];

const score = ({ system, 'tool look_up': tool }: Prompts, word: string): number =>
  word === 'dates' ? Number(tool.includes(word)) : Number(system.includes(word));

/** Returns feedback tasks in a new order in each pass, so that every text meets every task. */
function feedbackTasks({ first, count }: { first: number; count: number }): string[] {
  const pass = Rng.forPurpose(0, `pass ${Math.floor(first / words.length)}`).shuffle(words);
  return pass.slice(first % words.length, (first % words.length) + count);
}

const options = { seed: 3, budget: 200, minibatchSize: 2, merges: 3, perfectScore: 1, mostWithoutText: 2 };

function parts(states: EvolutionState[] = []): EvolutionParts {
  return {
    seedPrompts: { system: 'Help.', 'tool look_up': 'Finds.' },
    evaluate: (prompts, set) => {
      const tasks = set.kind === 'selection' ? words : feedbackTasks(set);
      return Promise.resolve(
        tasks.map((task) => ({ task, score: score(prompts, task), feedback: `missing: ${task}` })),
      );
    },
    reflect: (place, prompts, trials) => {
      const missing = trials.find((trial) => trial.score === 0)!.feedback.split(': ')[1];
      return Promise.resolve(prompts[place].includes(missing) ? prompts[place] : `${prompts[place]} ${missing}`);
    },
    onIteration: (state) => {
      states.push(structuredClone(state));
      return Promise.resolve();
    },
  };
}

test('evolution finds prompts that solve every task', async () => {
  const state = await evolvePrompts(parts(), options, null);
  expect(state.candidates[0].scores).toEqual([0, 0, 0, 0]);
  const best = bestPrompts(state);
  expect(best.scores).toEqual([1, 1, 1, 1]);
  expect(best.prompts['tool look_up']).toContain('dates');
  expect(state.rollouts).toBeGreaterThanOrEqual(200);
});

test('a change that does not score better on the same tasks is not kept', async () => {
  const useless = { ...parts(), reflect: (_: string, prompts: Prompts) => Promise.resolve(`${prompts.system} please`) };
  const state = await evolvePrompts(
    { ...useless, seedPrompts: { system: 'Help.', 'tool look_up': 'Finds.' } },
    { ...options, budget: 60 },
    null,
  );
  expect(state.candidates).toHaveLength(1);
});

test('evolution that continues from any of its states ends like one that was never stopped', async () => {
  const states: EvolutionState[] = [];
  const whole = await evolvePrompts(parts(states), { ...options, budget: 80 }, null);
  expect(states.length).toBeGreaterThan(3);
  for (const state of [states[0], states.at(-2)!])
    expect(await evolvePrompts(parts(), { ...options, budget: 80 }, structuredClone(state))).toEqual(whole);
});

test('it ends after the current iteration if the user stops it', async () => {
  const states: EvolutionState[] = [];
  const state = await evolvePrompts({ ...parts(states), stopRequested: () => states.length > 0 }, options, null);
  expect(state.iterations).toBe(1);
});

test('a reflector that writes no text now and then costs iterations; one that never does ends the evolution with the reason', async () => {
  const { reflect } = parts();
  let asked = 0;
  const moody: EvolutionParts['reflect'] = (...given) =>
    asked++ % 3 === 0 ? Promise.resolve(null) : reflect(...given);
  expect(bestPrompts(await evolvePrompts({ ...parts(), reflect: moody }, options, null)).scores).toEqual([1, 1, 1, 1]);
  const states: EvolutionState[] = [];
  const silent = { ...parts(states), reflect: () => Promise.resolve(null) };
  await expect(evolvePrompts(silent, options, null)).rejects.toThrow(
    'no text between two lines of three backticks in 3',
  );
  expect(states.map(({ withoutText }) => withoutText)).toEqual([1, 2, 3]);
});
