import { SlotMapping } from './slot-mapping.js';

test('chosen slots come first by as few exchanges as are needed', () => {
  const rows = new SlotMapping(5);
  expect(rows.bringToFront([3, 1])).toEqual([[0, 3]]); // slot 1 is in row 1 already
  expect([0, 1, 2, 3, 4].map((slot) => rows.row(slot))).toEqual([3, 1, 2, 0, 4]);
  expect(rows.bringToFront([1, 3])).toEqual([]);
});

test('lengths are reported in the order before the exchanges', () => {
  const rows = new SlotMapping(3);
  rows.setWindow(0, 0, 10);
  rows.setWindow(2, 0, 30);
  const swaps = rows.bringToFront([2]);
  expect(swaps).toEqual([[0, 2]]);
  expect([...rows.lengthsBefore(swaps)]).toEqual([10, 0, 30]);
  expect([...rows.lengthsBefore([])]).toEqual([30, 0, 10]);
});

test('a window that begins elsewhere is worth nothing, one that is cut keeps its beginning', () => {
  const rows = new SlotMapping(1);
  rows.setWindow(0, 4, 6); // context tokens 4 to 9
  expect(rows.cachedFrom(0, 4)).toBe(6);
  expect(rows.cachedFrom(0, 5)).toBe(0);
  rows.keepUpTo(0, 7);
  expect(rows.cachedFrom(0, 4)).toBe(3);
  rows.keepUpTo(0, 2);
  expect(rows.cachedFrom(0, 4)).toBe(0);
});
