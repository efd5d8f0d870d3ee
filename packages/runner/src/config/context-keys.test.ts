import { actionChoiceProblems } from './context-keys.js';

const problemsOf = (agentType: string, actionChoice: string, task = 'train') =>
  actionChoiceProblems({ task, agentType, actionChoice, env: { name: 'textcraft' } }).map(({ remedy }) => remedy);

test.each([
  ['gigpo', 'constrained'],
  ['online_filteredbc', 'scored'],
  ['online_filteredbc', 'constrained'],
  ['bc', 'scored'], // in its evaluations
])('%s trains with action_choice=%s', (algorithm, choice) => {
  expect(problemsOf(algorithm, choice)).toEqual([]);
});

test.each([
  ['gigpo', 'scored', 'write action_choice=free or action_choice=constrained; '],
  ['archer', 'constrained', 'write action_choice=free; '],
])('%s refuses action_choice=%s in training, and can be played with it', (algorithm, choice, remedy) => {
  expect(problemsOf(algorithm, choice)).toEqual([expect.stringContaining(remedy)]);
  expect(problemsOf(algorithm, choice, 'evaluate')).toEqual([]);
});
