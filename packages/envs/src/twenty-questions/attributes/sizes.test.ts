import { allWords } from '../words.js';
import { isBigger, sizeByName, sizeOf } from './sizes.js';

test('every word has a size, the smallest specimen first', () => {
  for (const word of allWords) {
    const [smallest, largest] = sizeOf(word);
    expect(smallest).toBeLessThan(largest);
  }
});

test('words and common things are compared by all of their specimens', () => {
  expect(isBigger(sizeByName('car')!, sizeByName('shoebox')!)).toBe('yes');
  expect(isBigger(sizeByName('apple')!, sizeByName('house')!)).toBe('no');
  // A chihuahua fits into a suitcase, a mastiff does not.
  expect(isBigger(sizeByName('dog')!, sizeByName('suitcase')!)).toBe('unclear');
  expect(sizeByName('unicorn')).toBeNull();
});
