import { checkFailures } from './collect.js';
import { failureReasons } from './failure-reasons.js';

const errors = (...messages: string[]) => messages.map((message) => new Error(message));

test('failures that differ in the name of their rollout alone have one reason', () => {
  const failures = errors(
    "'node a.js' ended with exit code 1\n  its output: /runs/a/programs/test-0.2.txt",
    'rollout test-1.1: no reward',
    "'node a.js' ended with exit code 1\n  its output: /runs/a/programs/test-12.2.txt",
    "'node a.js' ended with exit code 2\n  its output: /runs/a/programs/test-3.2.txt",
  );
  expect(failureReasons(failures)).toEqual([
    { message: failures[0].message, episodes: 2 },
    { message: failures[1].message, episodes: 1 },
    { message: failures[3].message, episodes: 1 },
  ]);
});

test('failures that differ in an amount alone have one reason; another status is another one', () => {
  const tooLong = (status: number, asked: number) =>
    `run: ${status}: This model's maximum context length is 512 tokens. However, you requested ${asked} tokens (${asked - 512} in ` +
    'the messages, 512 in the completion).';
  const failures = errors(tooLong(400, 596), tooLong(400, 595), tooLong(422, 594));
  expect(failureReasons(failures).map(({ episodes }) => episodes)).toEqual([2, 1]);
});

test('too many failures are an error with the first three reasons', () => {
  const check = (failures: Error[]) => () => checkFailures(failures, 0.5, { purpose: 'test', episodes: 8 });
  expect(check(errors('a', 'a', 'a', 'b'))).not.toThrow();
  expect(check(errors('a', 'b', 'a', 'b', 'b', 'c', 'd'))).toThrow(
    /^7 of 8 episodes \(test\) failed, more than play.max_failure_share 0\.5 allows\n {2}the first: a\n {2}3 for another reason: b\n {2}1 for another reason: c$/,
  );
  expect(check(errors('a', 'a', 'a', 'a', 'a'))).toThrow(/allows\n {2}the first: a$/);
});
