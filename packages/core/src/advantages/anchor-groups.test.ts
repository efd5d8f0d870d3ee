import { anchorGroups } from './anchor-groups.js';

test('turns with one state are a group, within one group of episodes only', () => {
  const turns = [
    { group: 0, state: 'hall' },
    { group: 0, state: 'kitchen' },
    { group: 0, state: 'hall' },
    { group: 1, state: 'hall' },
  ];
  expect(anchorGroups(turns)).toEqual({ ids: [0, 1, 0, 2], sizes: [2, 1, 1] });
});
