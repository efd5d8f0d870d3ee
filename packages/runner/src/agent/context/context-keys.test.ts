import { actionChoiceProblems } from './context-keys.js';

const rollouts = { actor: { samples: 'rollout' }, critic: { vTarget: { action: 'stored' } } };
const problemsOf = (name: string, actionChoice: string, task = 'train', algorithm: object = rollouts) =>
  actionChoiceProblems({
    task: { name: task },
    play: { actionChoice },
    env: { name: 'textcraft' },
    algorithm: { name, ...algorithm },
  }).map(({ remedy }) => remedy);

test.each([
  ['gigpo', 'constrained'],
  ['online_filteredbc', 'scored'],
  ['online_filteredbc', 'constrained'],
  ['archer', 'constrained'], // since it plays its own rollouts, unlike offline_archer
  ['bc', 'scored'], // only its evaluations play
])('%s trains with action_choice=%s', (algorithm, choice) => {
  expect(problemsOf(algorithm, choice)).toEqual([]);
});

test.each([
  ['gigpo', 'scored', 'write play.action_choice=free or play.action_choice=constrained; '],
  ['archer', 'scored', 'write play.action_choice=free or play.action_choice=constrained; '],
  ['offline_archer', 'constrained', 'write play.action_choice=free; '],
])('%s refuses action_choice=%s in training, and can be played with it', (algorithm, choice, remedy) => {
  expect(problemsOf(algorithm, choice)).toEqual([expect.stringContaining(remedy)]);
  expect(problemsOf(algorithm, choice, 'evaluate')).toEqual([]);
});

test('archer chooses among valid actions in its rollouts only', () => {
  const replayed = { actor: { samples: 'replay' }, critic: { vTarget: { action: 'policy' } } };
  expect(problemsOf('archer', 'constrained', 'train', replayed)).toEqual([
    'write algorithm.actor.samples=rollout, or play.action_choice=free',
    'write algorithm.critic.v_target.action=stored, or play.action_choice=free',
  ]);
});
