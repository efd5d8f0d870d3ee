import { Float } from '../node.js';
import { rangeValues, reversedRange } from './decimal-range.js';
import { RangeSweep } from './value.js';

const numbers = (range: RangeSweep) =>
  rangeValues(range).map((value) => (value instanceof Float ? value.value : value));
const float = (value: number) => new Float(value);

test('integer bounds give integers', () => {
  expect(rangeValues(new RangeSweep(0, 10, 3))).toEqual([0, 3, 6, 9]);
});
test('one float makes all of them floats', () => {
  expect(rangeValues(new RangeSweep(1, float(3), 1))).toEqual([float(1), float(2)]);
});
test('decimal steps are exact: 0.1 + 0.1 + 0.1 is 0.3', () => {
  expect(numbers(new RangeSweep(0, float(0.5), float(0.1)))).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
});
test('a range in the wrong direction is empty', () => {
  expect(numbers(new RangeSweep(3, 0, 1))).toEqual([]);
});
test('reversing keeps the values', () => {
  expect(numbers(reversedRange(new RangeSweep(1, 4, 1)))).toEqual([3, 2, 1]);
  expect(numbers(reversedRange(new RangeSweep(0, 1, float(0.25))))).toEqual([0.75, 0.5, 0.25, 0]);
});
test('step 0, infinite bounds and enormous ranges are refused', () => {
  expect(() => rangeValues(new RangeSweep(0, 3, 0))).toThrow(`range's step must not be 0`);
  expect(() => rangeValues(new RangeSweep(0, float(Infinity), 1))).toThrow('range needs finite numbers, not inf');
  expect(() => rangeValues(new RangeSweep(0, 1_000_000_000, 1))).toThrow(
    'range gives 1000000000 values, more than 1000000',
  );
});
