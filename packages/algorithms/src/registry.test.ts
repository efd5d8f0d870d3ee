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
  for (const name of algorithmNames())
    for (const [key, option] of Object.entries<{ description?: string }>(findAlgorithm(name)!.options.properties))
      expect([name, key, option.description ?? '']).toEqual([name, key, expect.stringMatching(/\w{3}/)]);
});

const critic = { vTargetAction: 'stored', vTargetSamples: 1, useBaseline: false, baselineLr: null };

test.each([
  ['archer', { warmupIter: 5, iterations: 5, actorEpochs: 9, rolloutSize: 8, actorSamples: 'rollout' }, 2],
  ['archer', { warmupIter: 4, iterations: 5, actorEpochs: 8, rolloutSize: 8, actorSamples: 'rollout' }, 0],
  ['chai', { numCandidates: 1 }, 1],
  ['chai', { numCandidates: 2 }, 0],
])('%s with %j has %i problems', (name, options, count) => {
  expect(findAlgorithm(name)!.problems!({ ...critic, ...options })).toHaveLength(count);
});
