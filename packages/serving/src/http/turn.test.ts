import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseJson } from './json-text.js';
import { inTurns, isEnough, turn } from './turn.js';

/** Counts the turns of the event loop that pass until `work` is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  void work.finally(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  return turns;
}

test('one step runs in each turn of the event loop, in the order of arrival', async () => {
  const order: number[] = [];
  const steps = [1, 2, 3, 4].map((step) => turn().then(() => order.push(step)));
  expect(await turnsOf(Promise.all(steps))).toBeGreaterThanOrEqual(4);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('the long texts of 20 clients are not processed in one turn', async () => {
  const texts = Array.from({ length: 20 }, () => parseJson(JSON.stringify('x'.repeat(1_000_000))));
  expect(await turnsOf(Promise.all(texts))).toBeGreaterThanOrEqual(20);
});

test('half a megabyte is enough for one turn; the next one counts from zero', async () => {
  await nextTurn();
  expect([isEnough(2 ** 18), isEnough(2 ** 18), isEnough(1)]).toEqual([false, false, true]);
  await nextTurn();
  await nextTurn();
  expect(isEnough(2 ** 18)).toBe(false);
});

/** Works in several steps of 5 ms, each of which is longer than the time that `inTurns` allows per turn. */
function* longWork(steps: number, name: string, order: string[]): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + 5;
    while (performance.now() < end);
    order.push(name);
    yield;
  }
  return name;
}

test('the long work of two clients takes turns, each in a turn of the event loop of its own', async () => {
  const order: string[] = [];
  const work = Promise.all(['a', 'b'].map((name) => inTurns(longWork(3, name, order))));
  expect(await turnsOf(work)).toBeGreaterThanOrEqual(6);
  expect(await work).toEqual(['a', 'b']);
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

test('work whose client has disconnected ends at its next turn', async () => {
  const gone = new AbortController();
  const order: string[] = [];
  const work = inTurns(longWork(100, 'a', order), gone.signal);
  gone.abort(new Error('gone'));
  await expect(work).rejects.toThrow('gone');
  expect(order).toEqual(['a']);
});
