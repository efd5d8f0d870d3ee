import { matchNames } from './glob.js';

const names = ['dqn', 'ppo', 'ppo2', 'sac', 'a[b', 'x.y'];

test.each([
  [['*'], [], ['a[b', 'dqn', 'ppo', 'ppo2', 'sac', 'x.y']],
  [['p*'], [], ['ppo', 'ppo2']],
  [['???'], [], ['a[b', 'dqn', 'ppo', 'sac', 'x.y']],
  [['[ds]*'], [], ['dqn', 'sac']],
  [['[!ps]*'], [], ['a[b', 'dqn', 'x.y']],
  [['[a-d]*'], [], ['a[b', 'dqn']],
  [['P*'], [], []],
  [['x.y'], [], ['x.y']],
  [['x?y', 'a[b'], [], ['a[b', 'x.y']],
  [['*'], ['p*', '*.y'], ['a[b', 'dqn', 'sac']],
])('include %j exclude %j', (include, exclude, expected) => {
  expect(matchNames(names, include, exclude)).toEqual(expected);
});
