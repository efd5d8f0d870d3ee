import { compacting, madeRollout, subAgent } from '../../test/made-rollouts.js';
import { auditedRollout, rewardAudit, type AuditedRollout } from './reward-audit.js';

const tableOf = (rollouts: readonly AuditedRollout[], title: string) =>
  rewardAudit(rollouts).find((table) => table.title === title)!;

/** Ten rollouts in five groups of two: the reward decreases, `polite` increases, and answers get longer. */
const ten = Array.from({ length: 10 }, (_, i): AuditedRollout => ({
  group: `rollout-${Math.floor(i / 2)}`,
  task: `t${Math.floor(i / 2) % 2}`,
  failure: null,
  rewards: new Map([
    ['reward', i < 4 ? 1 : i === 4 ? 0.5 : 0],
    ['polite', i / 10],
  ]),
  calls: 2,
  branches: 1,
  written: 10 + 10 * i,
  tools: [{ name: 'add', failed: i >= 8 }],
}));

test('a recorded rollout as figures', () => {
  expect(auditedRollout(subAgent())).toEqual({
    failure: null,
    rewards: new Map([
      ['reward', 1.25],
      ['format', 0.5],
    ]),
    calls: 4,
    branches: 2,
    written: 10,
    tools: [
      { name: 'delegate', failed: false },
      { name: 'calculator', failed: false },
    ],
  });
  expect(auditedRollout(compacting()).tools.map(({ failed }) => failed)).toEqual([false, true]);
});

test('each component has its mean, that of the first and the last fifth, and its correlation with the reward', () => {
  const { rows } = tableOf(ten, 'Components of the reward');
  expect(rows[0].slice(0, 5)).toEqual(['polite', '10', '0.450', '0.0500', '0.850']);
  expect(Number(rows[0][5].replace('−', '-'))).toBeLessThan(-0.8);
  expect(rows[1]).toEqual(['reward', '10', '0.450', '1.00', '0.00', '–']);
});

test('the drift of lengths is shown: tokens of an episode and of an answer', () => {
  const { rows } = tableOf(ten, 'Lengths of rollouts');
  expect(rows[0].slice(0, 4)).toEqual(['tokens written', '55.0', '15.0', '95.0']);
  expect(rows[1].slice(0, 4)).toEqual(['tokens per answer', '27.5', '7.50', '47.5']);
  // A constant statistic has no correlation with the reward.
  expect(rows[2]).toEqual(['calls of the model', '2.00', '2.00', '2.00', '–']);
});

test('groups with equal rewards are counted, at the largest and at the smallest reward, with the tasks that only had such groups', () => {
  const { rows } = tableOf(ten, 'Groups without a signal');
  // The rewards of the five groups are 1 1, 1 1, 0.5 0, 0 0, 0 0, and their tasks t0, t1, t0, t1, t0.
  expect(rows).toEqual([
    ['all', '5', '80 %', '40 %', '40 %', '1'],
    ['at the beginning', '1', '100 %', '100 %', '0 %', '1'],
    ['at the end', '1', '100 %', '0 %', '100 %', '1'],
  ]);
});

test('if all rewards are the same, no group counts as having the largest reward', () => {
  const same = ten.map((rollout) => ({ ...rollout, rewards: new Map([['reward', 0]]) }));
  expect(tableOf(same, 'Groups without a signal').rows[0]).toEqual(['all', '5', '100 %', '–', '–', '2']);
});

test('failed calls of tools and failed rollouts are counted', () => {
  const failed = auditedRollout(madeRollout('x', [], { status: 'failed', reason: 'exit code 1\nmore', rewards: [] }));
  const all = [...ten, failed, failed];
  expect(tableOf(all, 'Calls of tools').rows).toEqual([['add', '10', '10', '20 %', '0 %', '–']]);
  expect(tableOf(ten, 'Calls of tools').rows).toEqual([['add', '10', '10', '20 %', '0 %', '100 %']]);
  expect(tableOf(all, 'Rollouts that failed').rows).toEqual([['exit code 1', '2']]);
  expect(tableOf(all, 'Components of the reward').rows[1][1]).toBe('10'); // failed ones have no reward
});

test('nothing was recorded: no table', () => {
  expect(rewardAudit([])).toEqual([]);
});
