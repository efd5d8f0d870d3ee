import { hashTrieOrder } from './hash-order.js';
import { JavaRandom } from './java-random.js';

// The numbers were printed by java.util.Random of OpenJDK 17; with 1610612736 = 3 · 2²⁹ every fourth draw is rejected.
test.each([
  [42, [0, 3, 10, 0.047939305137387644, 595021505, 1519796918, 1429255519, 196118093]],
  [-5, [1, 1, 5, 0.343656322075349, 1486179385, 617011057, 497885393, 741576374]],
  [0xbfd676416739n, [6, 6, 12, 0.2301531250908223, 814501694, 874988630, 1248252343, 845693592]],
])('seed %s gives the numbers of Java', (seed, wanted) => {
  const random = new JavaRandom(seed);
  const many = () => random.nextInt(1_610_612_736);
  const drawn = [random.nextInt(10), random.nextInt(10), random.nextInt(16), random.nextDouble()];
  expect([...drawn, many(), many(), many(), many()]).toEqual(wanted);
});

test('a shuffle swaps from the last place down: Java draws 2 and 0 for seed 42 below 3 and 2', () => {
  const random = new JavaRandom(42);
  const [first, second] = [random.nextInt(3), random.nextInt(2)];
  expect([first, second]).toEqual([2, 0]);
  // In [a b c], the last place is swapped with itself; then place 1 with place 0.
  expect(new JavaRandom(42).shuffle(['a', 'b', 'c'])).toEqual(['b', 'a', 'c']);
});

test('a bound below 1 is refused', () => {
  expect(() => new JavaRandom(1).nextInt(0)).toThrow('JavaRandom.nextInt: bound must be ≥ 1, got 0');
});

test('the hash order does not depend on the order of arrival and drops doubles', () => {
  const names = ['leek', 'plum', 'radish', 'tofu', 'mint', 'quail', 'trout'];
  const order = hashTrieOrder(names);
  expect([...order].sort()).toEqual([...names].sort());
  expect(hashTrieOrder([...names, ...names].reverse())).toEqual(order);
});

test('fourteen words come in the order of an immutable HashSet of Scala 2.13.8', () => {
  const words = 'leek plum radish tofu mint quail trout zucchini celery basil pear quince beetroot halloumi'.split(' ');
  const order = 'basil trout mint quail leek halloumi quince radish pear zucchini beetroot plum tofu celery'.split(' ');
  expect(hashTrieOrder(words)).toEqual(order);
});
