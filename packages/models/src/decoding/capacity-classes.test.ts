import { areUnequal, capacityClasses, longRowsFirst, roundedCapacity } from './capacity-classes.js';

/** The bytes of one cached position in one layer of GPT-2 124M: its keys and values in float32. */
const positionBytes = 2 * 4 * 768;
const options = { positionBytes, most: 2 } as const;
const shorts = (rows: number, length = 100) => Array<number>(rows).fill(length);

test('capacities are multiples of 32, at least one', () => {
  expect([0, 1, 32, 33].map(roundedCapacity)).toEqual([32, 32, 32, 64]);
});

test('one long row among short ones has a capacity of its own', () => {
  expect(capacityClasses([900, ...shorts(31)], 928, options)).toEqual([
    { rows: 1, capacity: 928 },
    { rows: 31, capacity: 128 },
  ]);
});

test.each([
  ['a quarter of the positions is not saved', [160, 150, 140, 130], options],
  ['narrow layers have too few bytes', [900, ...shorts(3)], { positionBytes: 64, most: 2 }],
  ['the graph has one class', [900, ...shorts(31)], { positionBytes, most: 1 }],
] as const)('all rows have one capacity where %s', (_, lengths, given) => {
  const whole = roundedCapacity(Math.max(...lengths));
  expect(capacityClasses(lengths, whole, given)).toEqual([{ rows: lengths.length, capacity: whole }]);
});

test('long rows that are not in the batch are not read', () => {
  expect(capacityClasses(shorts(8), 928, { positionBytes, most: 1 })).toEqual([{ rows: 8, capacity: 128 }]);
});

test('two capacities stay while all rows fit and little more is read than need be', () => {
  const now = [
    { rows: 2, capacity: 928 },
    { rows: 30, capacity: 128 },
  ];
  expect(capacityClasses([900, 800, ...shorts(30)], 928, options, now)).toEqual(now);
  expect(capacityClasses([900, 800, ...shorts(30, 129)], 928, options, now)[1].capacity).toBe(160);
  expect(capacityClasses(shorts(32), 928, options, now)).toEqual([{ rows: 32, capacity: 128 }]);
});

test('long rows move to the front if that saves much reading', () => {
  const lengths = [...shorts(10), 900, ...shorts(10), 850];
  expect(longRowsFirst(lengths, options)).toEqual([
    [0, 10],
    [1, 21],
  ]);
  expect(longRowsFirst([100, 120, 90], options)).toEqual([]);
  expect(longRowsFirst(lengths, { positionBytes, most: 1 })).toEqual([]);
  expect([areUnequal(lengths, options), areUnequal(shorts(8), options)]).toEqual([true, false]);
});
