import { stringSetOrder } from './string-set.js';

const EXPECTED = [
  'word 11',
  'word 8',
  'word 4',
  'word 7',
  'word 9',
  'word 6',
  'word 10',
  'word 3',
  'word 5',
  'word 2',
  'word 0',
  'word 1',
];
test('walks strings as CPython 3.11 with PYTHONHASHSEED=0', () => {
  // The words are in the order of PYTHONHASHSEED=0 python3.11 -c "print(list(dict.fromkeys(s := {f'word {i}' for i in
  // range(12)})))"
  const words = Array.from({ length: 12 }, (_, i) => `word ${i}`);
  expect(stringSetOrder([...words, 'word 3'])).toEqual(EXPECTED);
});
