import { failureLog } from './failure-log.js';

test('a reason is logged once, and the number of its further failures when the set has ended', () => {
  const lines: string[] = [];
  const { onFailure, onSetEnd } = failureLog((line, level) => lines.push(`${level}: ${line}`));
  for (let i = 0; i < 17; i++) onFailure(new Error(`no file of test-${i}.3`), `test episode ${i}`);
  onFailure(new Error('other'), 'test episode 17');
  onFailure(new Error('other'), 'test episode 18', true);
  onFailure(new Error('other'), 'test episode 19', true);
  expect(lines).toHaveLength(3);
  onSetEnd();
  onSetEnd();
  onFailure(new Error('other'), 'test episode 0');
  expect(lines).toEqual([
    'WARNING: test episode 0 failed and is left out: no file of test-0.3',
    'WARNING: test episode 17 failed and is left out: other',
    'WARNING: test episode 18 failed and counts as task.failed_reward: other',
    'WARNING: 16 more (test episode 1, test episode 2, test episode 3, test episode 4, test episode 5, …) failed and are left out: no file of test-0.3',
    'WARNING: 1 more (test episode 19) failed and count as task.failed_reward: other',
    'WARNING: test episode 0 failed and is left out: other',
  ]);
});
