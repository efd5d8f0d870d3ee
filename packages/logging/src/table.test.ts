import { textTable } from './table.js';

test('numbers line up on the right', () => {
  expect(
    textTable(
      ['policy', 'return'],
      [
        ['warm start', '-7.41'],
        ['trained', '-3.20'],
      ],
    ),
  ).toBe('policy      return\n──────────  ──────\nwarm start   -7.41\ntrained      -3.20');
});
