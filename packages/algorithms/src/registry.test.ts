import type { TObject } from '@sinclair/typebox';
import { isGroup, withDefaults } from '@bowyer/core';
import { algorithmNames, findAlgorithm, registerAlgorithm } from './registry.js';

test('an algorithm is found by its name and by its aliases', () => {
  expect(findAlgorithm('archer_llm')).toBe(findAlgorithm('archer'));
  expect(algorithmNames()).not.toContain('archer_llm');
  expect(findAlgorithm('ppo_of_tomorrow')).toBeUndefined();
});

test('a name that is taken is refused; the same unit may come twice', () => {
  const archer = findAlgorithm('archer')!;
  registerAlgorithm(archer);
  expect(() => registerAlgorithm({ ...archer, name: 'mine', aliases: ['archer_llm'] })).toThrow(
    "the algorithm name 'archer_llm' is taken already, by archer: choose another name or alias",
  );
  expect(findAlgorithm('mine')).toBeUndefined();
});

test('every option has a description', () => {
  const check = (name: string, { properties }: TObject) => {
    for (const [key, option] of Object.entries(properties)) {
      expect([name, key, option.description ?? '']).toEqual([name, key, expect.stringMatching(/\w{3}/)]);
      if (isGroup(option)) check(`${name}.${key}`, option);
    }
  };
  for (const name of algorithmNames()) check(name, findAlgorithm(name)!.options as TObject);
});

const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
const rollouts = (steps: number) => ({
  rollout: { size: 8 },
  actor: { warmupIterations: 4, steps, samples: 'rollout' },
});

test.each([
  ['archer', { iterations: 4, ...rollouts(9) }, 2],
  ['archer', { iterations: 5, ...rollouts(8) }, 0],
  ['chai', { numCandidates: 1 }, 1],
  ['chai', { numCandidates: 2 }, 0],
])('%s with %j has %i problems', (name, given, count) => {
  const unit = findAlgorithm(name)!;
  expect(unit.problems!(withDefaults(unit.options as TObject, given))).toHaveLength(count);
});

test('a program that gives an option which the algorithm does not have is refused', async () => {
  const training = findAlgorithm('chai')!.train({} as never, { seed: 0, slots: 1, sampling, critic: { rate: 1 } });
  await expect(training).rejects.toThrow('there is no option critic.rate: the options here are steps, lr');
});
