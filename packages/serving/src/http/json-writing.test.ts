import { Rng } from '@bowyer/core';
import { jsonBytesInSteps, jsonTextInSteps, WrittenList } from './json-writing.js';

function drained<Result>(steps: Generator<undefined, Result>): { result: Result; count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, count };
  }
}

const many = <Item>(count: number, make: (i: number) => Item) => Array.from({ length: count }, (_, i) => make(i));

/** Draws a JSON value of any kind, sometimes one that is too large for one step. */
function randomValue(rng: Rng, depth: number): unknown {
  const scalars = [
    null,
    true,
    1.5,
    -0,
    NaN,
    'text "with" \u2028\ud800',
    undefined,
    new Date(0),
    () => 1,
    'x'.repeat(150_000),
  ];
  if (depth === 0 || rng.uniform() < 0.3) return scalars[rng.integer(0, scalars.length - 2 + (depth > 2 ? 1 : 0))];
  const count = rng.uniform() < 0.1 ? 3000 : rng.integer(0, 5);
  const inner = () => randomValue(rng, count > 5 ? 0 : depth - 1);
  if (rng.uniform() < 0.5) return many(count, inner);
  const keys = ['__proto__', 'toString', '7', 'é"'];
  const object: Record<string, unknown> = {};
  for (let i = 0; i < count; i++) {
    const key = keys[i] ?? `k${i}`;
    Object.defineProperty(object, key, { value: inner(), enumerable: true, configurable: true, writable: true });
  }
  return object;
}

test('the text is that of JSON.stringify, whatever the value is', () => {
  const rng = new Rng(3);
  for (let i = 0; i < 50; i++) {
    const value = [randomValue(rng, 4)];
    const text = JSON.stringify(value);
    expect(drained(jsonTextInSteps(value)).result).toBe(text);
    expect(Buffer.concat(drained(jsonBytesInSteps(value)).result).equals(Buffer.from(text))).toBe(true);
  }
});

test('many numbers are written in many steps, and the values of small answers in one', () => {
  const vectors = many(100, () => many(1000, (i) => i / 3));
  expect(drained(jsonTextInSteps({ data: vectors })).count).toBeGreaterThan(50);
  expect(drained(jsonTextInSteps({ data: vectors[0] })).count).toBe(1);
});

test('the items of a list are made one after the other, when they are written', () => {
  let made = 0;
  const list = new WrittenList(
    many(10_000, (i) => i),
    (i) => {
      made++;
      return { i };
    },
  );
  const steps = jsonTextInSteps({ list });
  steps.next();
  steps.next();
  expect(made).toBeLessThan(200);
  expect(drained(steps).result).toBe(JSON.stringify({ list: many(10_000, (i) => ({ i })) }));
  expect(drained(jsonTextInSteps({ none: new WrittenList([], String) })).result).toBe('{"none":[]}');
});
