import { PythonRandom } from './random.js';

// The expected values are those of CPython 3.11.7: r = random.Random(seed); [r.getrandbits(32) × 3], r.random(),
// r.choice(range(40)), r.sample(range(100), 8), r.sample(range(60), 4), then r.shuffle(list(range(10))).
const drawn = [
  {
    seed: 0,
    bits: [3626764237, 1654615998, 3255389356],
    random: 0.890243920837131,
    choice: 2,
    places: [33, 65, 62, 51, 38, 61, 45, 74],
    pool: [57, 58, 13, 32],
    shuffled: [1, 5, 3, 7, 8, 0, 6, 9, 4, 2],
  },
  {
    seed: 2 ** 40 + 5,
    bits: [2166296868, 2220160828, 1153647273],
    random: 0.6637982795073579,
    choice: 1,
    places: [67, 97, 5, 21, 10, 17, 30, 83],
    pool: [43, 8, 15, 41],
    shuffled: [2, 8, 4, 9, 5, 0, 7, 3, 1, 6],
  },
  {
    seed: -7,
    bits: [1390851128, 4071050724, 647892279],
    random: 0.3948234964231735,
    choice: 3,
    places: [9, 68, 12, 46, 74, 7, 64, 27],
    pool: [2, 5, 27, 26],
    shuffled: [7, 2, 5, 6, 0, 8, 4, 9, 3, 1],
  },
];

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

test.each(drawn)('seed $seed draws what CPython draws', ({ seed, bits, random, choice, places, pool, shuffled }) => {
  const rng = new PythonRandom(seed);
  expect([0, 1, 2].map(() => rng.getrandbits(32))).toEqual(bits);
  expect(rng.random()).toBe(random);
  expect(rng.choice(range(40))).toBe(choice);
  expect(rng.sample(range(100), 8)).toEqual(places);
  expect(rng.sample(range(60), 4)).toEqual(pool);
  const items = range(10);
  rng.shuffle(items);
  expect(items).toEqual(shuffled);
});

test('a seed that is not an integer is refused', () => {
  expect(() => new PythonRandom(0.5)).toThrow('PythonRandom: the seed must be an integer; got 0.5');
});
