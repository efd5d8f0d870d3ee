// The ends that other people's suites are expected to have.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compared, readExpectations } from '../../../suites/expectations.js';
import { newFolder } from '../src/index.js';

const suites = join(import.meta.dirname, '../../../suites');
const names = readdirSync(suites).filter((name) => existsSync(join(suites, name, 'result.json')));

const failed = (name: string) => ({ name, outcome: 'failed' as const, detail: 'why' });
const passed = (name: string) => ({ name, outcome: 'passed' as const });

test('a failed case with a reason is expected; one without, and a name that matches no case, are reported', () => {
  const reasons = [{ reason: 'a reason', count: 1, cases: ['a', 'b'] }];
  expect(compared([failed('a'), passed('b'), failed('c')], reasons)).toEqual({
    surprises: ['failed: c: why', 'expected.json: b: no case failed (1 passed)'],
    reasons: [{ reason: 'a reason', cases: 1 }],
  });
});

test('with a * in a name, one more or one fewer failure is still reported', () => {
  const reasons = [{ reason: 'a reason', count: 2, cases: ['all *'] }];
  const surprisesOf = (...cases: string[]) => compared(cases.map(failed), reasons).surprises;
  expect(surprisesOf('all 1', 'all 2')).toEqual([]);
  expect(surprisesOf('all 1', 'all 2', 'all 3')).toEqual(['expected.json: 3 cases instead of 2: a reason']);
  expect(surprisesOf('all 1')).toEqual(['expected.json: 1 cases instead of 2: a reason']);
});

test('a file without counts is refused', () => {
  const file = join(newFolder(), 'expected.json');
  writeFileSync(file, '{"all *": "a reason"}');
  expect(() => readExpectations(file)).toThrow('it must be a list of { reason, count, cases }');
});

test.each(names)('%s: the last run had as many cases of each reason as are expected', (name) => {
  const expected = readExpectations(join(suites, name, 'expected.json'));
  const { reasons } = JSON.parse(readFileSync(join(suites, name, 'result.json'), 'utf8')) as { reasons: object[] };
  expect(reasons).toEqual(expected.map(({ reason, count }) => ({ reason, cases: count })));
});
