import { readFileSync } from 'node:fs';
import { Story } from './story.js';
import { StoryRandom } from './story-random.js';
import { ZText } from './z-text.js';

const story = new Story(readFileSync(new URL('fixtures/opcodes.z5', import.meta.url)));
const text = new ZText(story);
const codes = (word: string) => [...word].map((character) => text.zscii.code(character));

test('a word is padded with shifts to nine Z-characters', () => {
  // The Z-characters are i = 14, then eight fives: (14 5 5) (5 5 5) (5 5 5); the last word has its top bit set.
  const word = (a: number, b: number, c: number) => (a << 10) | (b << 5) | c;
  const [first, rest] = [word(14, 5, 5), word(5, 5, 5)];
  expect([...text.encode(codes('i'))]).toEqual([
    first >> 8,
    first & 255,
    rest >> 8,
    rest & 255,
    (rest >> 8) | 0x80,
    rest & 255,
  ]);
});

test('what was encoded reads the same, cut after nine Z-characters', () => {
  const read = (word: string) => text.decode(text.encode(codes(word)), 0).text;
  expect(read('lighthouse')).toBe('lighthous');
  expect(read('b2-x')).toBe('b2-x'); // 2 and - take a shift each: six Z-characters in all
  expect(read('é')).toBe('é'); // é is encoded by its code: shift, escape, two halves
});

test('the generator gives the draws of Frotz', () => {
  const random = new StoryRandom(1);
  // The first state is 0x015A4E35 + 1 = 22695478; ⌊22695478 / 65536⌋ = 346; 346 mod 100 + 1 = 47.
  expect(random.draw(100)).toBe(47);
});

test('a story may ask for 1, 2, 3, 1, 2, 3 …', () => {
  const random = new StoryRandom(1);
  random.seedFromStory(3);
  expect(Array.from({ length: 5 }, () => random.draw(10))).toEqual([1, 2, 3, 1, 2]);
});
