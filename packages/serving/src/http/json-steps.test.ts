import { Rng } from '@bowyer/core';
import { jsonAsWritten, parseJson } from '@bowyer/text';
import { jsonInSteps } from './json-steps.js';

/** Parses a text in steps. @returns the value, and the number of steps */
function read(text: string, piece?: number): { value: unknown; steps: number } {
  const reading = jsonInSteps(text, () => undefined, parseJson, piece);
  for (let steps = 0; ; steps++) {
    const { done, value } = reading.next();
    if (done === true) return { value, steps };
  }
}

const pick = <T>(rng: Rng, from: readonly T[]): T => from[rng.integer(0, from.length - 1)];
const space = (rng: Rng) => (rng.uniform() < 0.1 ? pick(rng, [' ', '\n', '\t  ', '\r\n']) : '');
const keys = ['a', 'b', '__proto__', 'constructor', '7', '', 'é', 'a"\\'];
const leaves = [
  '1',
  '-0',
  '1.5e3',
  '1.0',
  '7318204915520000013',
  'true',
  'null',
  '"x"',
  '"\\u00e9]"',
  '"a,b"',
  '"{\\"}"',
  '"[:"',
  '[]',
  '{}',
];

/** Returns random JSON with the spacing of a hand-written text. */
function written(rng: Rng, depth: number): string {
  const kind = rng.uniform();
  if (depth === 0 || kind < 0.3) return `${space(rng)}${pick(rng, leaves)}${space(rng)}`;
  const members = Array.from({ length: rng.integer(0, 4) }, () => written(rng, depth - 1));
  if (kind < 0.6) return `[${members.join(',')}]`;
  return `{${members.map((member) => `${space(rng)}${JSON.stringify(pick(rng, keys))}${space(rng)}:${member}`).join(',')}}`;
}

/** Damages a JSON text: one character is left out, repeated, or replaced by another one that occurs in JSON. */
function damaged(text: string, rng: Rng): string {
  const at = rng.integer(0, text.length - 1);
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  return before + pick(rng, ['', text[at].repeat(2), ...'[]{},:"\\1 x\u00a0']) + after;
}

/** Returns the value that a parser returns, as a text in which 0 and −0 differ; null if it throws. */
function outcome(parse: () => unknown): string | null {
  try {
    return JSON.stringify(parse(), (_, value: unknown) => (Object.is(value, -0) ? '-0' : value));
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return null;
  }
}

test('any text is the same value, or an error, as for JSON.parse, however short the pieces are', () => {
  const rng = new Rng(1);
  let errors = 0;
  for (let i = 0; i < 2000; i++) {
    const whole = written(rng, 5);
    const text = rng.uniform() < 0.5 ? whole : damaged(whole, rng);
    const expected = outcome(() => JSON.parse(text));
    errors += Number(expected === null);
    for (const piece of [1, 3, 17]) {
      const found = outcome(() => read(text, piece).value);
      if (found !== expected)
        throw new Error(`${JSON.stringify(text)} in pieces of ${piece}: ${found}, not ${expected}`);
      if (found !== null) expect(jsonAsWritten(read(text, piece).value)).toBe(jsonAsWritten(parseJson(text)));
    }
  }
  expect(errors).toBeGreaterThan(300); // most damaged texts must be refused
});

test('a key that an object has twice has its last value, and __proto__ is a key as others are', () => {
  const text = '{"a": [1, 2, 3], "__proto__": {"b": [4, 5]}, "a": 6}';
  const { value } = read(text, 4);
  expect(JSON.stringify(value)).toBe('{"a":6,"__proto__":{"b":[4,5]}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('numbers, fields, objects and levels of two megabytes take many steps', () => {
  const count = 200_000;
  const texts = {
    numbers: JSON.stringify(Array.from({ length: 5 * count }, (_, i) => i % 10)),
    fields: JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))),
    objects: JSON.stringify(Array.from({ length: count }, (_, i) => ({ a: i }))),
    levels: `${'[{"a":'.repeat(50)}${JSON.stringify(Array.from({ length: count }, (_, i) => i))}${'}]'.repeat(50)}`,
  };
  for (const text of Object.values(texts)) {
    const { value, steps } = read(text);
    expect(JSON.stringify(value) === text).toBe(true);
    expect(steps).toBeGreaterThan(text.length / 2 ** 16);
  }
});

test.each([
  ['[1, 2, 3, x]', "Unexpected token 'x'"],
  ['[1, 2, "\n"]', 'Bad control character in string literal in JSON at position 8'],
  ['[1, 2, 3] 4', "Unexpected '4' behind the JSON in JSON at position 10"],
  ['[1, 2, 3}', "Unexpected token '}' in JSON at position 8"],
  ['[1, 2, [3, 4]', 'Unexpected end of JSON input'],
])('the place of the fault in %j', (text, message) => {
  expect(() => read(text, 4)).toThrow(message);
});

test('the counts of what was read so far may end it', () => {
  const seen: number[] = [];
  const reading = jsonInSteps(
    '[1,2,3,4,5,6,7,8]',
    ({ commas }) => {
      seen.push(commas);
      if (commas > 4) throw new RangeError('enough');
    },
    JSON.parse,
    4,
  );
  expect(() => [...reading]).toThrow('enough');
  expect(seen).toEqual([2, 4, 6]);
});
