import { ConfigError } from '../config-error.js';
import { toPlain } from '../node.js';
import { elementNode } from './apply.js';
import { encodeElement } from './encode.js';
import { parseOverride } from './parser.js';
import { ChoiceSweep, type Element, type Override } from './value.js';

const messageOf = (text: string) => {
  try {
    parseOverride(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'parses';
};

test('an error quotes the override and marks the position', () => {
  expect(messageOf('exp=a#b')).toBe(
    [
      `Cannot read override 'exp=a#b': '#' is not allowed outside quotes`,
      '  in the command line:',
      '    exp=a#b',
      '         ^',
      `  put the value in quotes: 'exp="…"'`,
    ].join('\n'),
  );
});
test('a missing = says how to write it', () => {
  expect(messageOf('seed')).toBe(
    [
      `Cannot read override 'seed': '=' is missing`,
      '  in the command line:',
      '    seed',
      '        ^',
      `  write 'seed=value'`,
    ].join('\n'),
  );
});

test('endless nesting is refused without a stack overflow', () => {
  expect(messageOf(`x=${'['.repeat(100_000)}`)).toContain('more than 200 brackets nest');
});

function* random(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' linear congruence
    yield state / 2 ** 32;
  }
}

const words = 'key 1.5 e3 ${a} null true nan int( range( choice( sort( __ ??? glob(*) tag('.split(' ');
const pieces = [...'a./@=+~1-,:[]{}()\'"\\ \t\n$é🤖\0#%', ...words];

test('10,000 random texts parse or give a ConfigError, nothing else', () => {
  const numbers = random(1);
  const counts = { parsed: 0, refused: 0 };
  for (let round = 0; round < 10_000; round++) {
    const length = 1 + Math.floor(numbers.next().value * 12);
    const head = numbers.next().value < 0.7 ? 'key=' : '';
    const text =
      head + Array.from({ length }, () => pieces[Math.floor(numbers.next().value * pieces.length)]!).join('');
    try {
      parseOverride(text);
      counts.parsed++;
    } catch (error) {
      if (!(error instanceof ConfigError))
        throw new Error(`${JSON.stringify(text)} gives ${String(error)}`, { cause: error });
      counts.refused++;
    }
  }
  expect(counts.parsed).toBeGreaterThan(500);
  expect(counts.refused).toBeGreaterThan(500);
});

test('what a sweep writes for a job reads back as the same value', () => {
  const numbers = random(2);
  for (let round = 0; round < 2000; round++) {
    const text = `k=${Array.from({ length: 4 }, () => pieces[Math.floor(numbers.next().value * pieces.length)]!).join('')}`;
    let override: Override;
    try {
      override = parseOverride(text);
    } catch {
      continue;
    }
    const { value } = override;
    // A text from a cast or with an interpolation is written without quotes and may be read as another type.
    if (value instanceof Object && !Array.isArray(value) && value.constructor.name.endsWith('Sweep')) continue;
    if (
      text.includes('(') ||
      text.includes('${') ||
      value instanceof ChoiceSweep ||
      JSON.stringify(value)?.includes('"items"')
    )
      continue;
    const again = parseOverride(`k=${encodeElement(value as Element)}`).value;
    expect(toPlain(elementNode(again as Element, { source: '' }))).toEqual(
      toPlain(elementNode(value as Element, { source: '' })),
    );
  }
});

test.each([
  'shuffle(tag(a,b,choice(1,2)))',
  'shuffle(tag(a,b,range(3)))',
  'sort(tag(a,b,choice(2,1)))',
  'sort(tag(a,b,range(3)),reverse=true)',
  'shuffle(sort(tag(a,b,choice(2,1))))',
])('%s keeps the tags of its sweep', (text) => {
  expect([...(parseOverride(`k=${text}`).value as ChoiceSweep).tags]).toEqual(['a', 'b']);
});
