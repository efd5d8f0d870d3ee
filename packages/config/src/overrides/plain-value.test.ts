// Tests that a value which a service stores as JSON and gives back reaches a config as the same value.
import { compose } from '../compose.js';
import { overrideText, plainValue, type JsonValue } from './plain-value.js';

const valueOf = (text: string) => plainValue('key', text.slice(text.indexOf('=') + 1));

test.each<[string, JsonValue]>([
  ['True', true],
  ["'1e-3'", '1e-3'],
  ['1_000', 1000],
  ['0x10', '0x10'],
  ['[csv]', ['csv']],
  ["[csv,'a,b',null,[1,'1']]", ['csv', 'a,b', null, [1, '1']]],
  ["'a b'", 'a b'],
  ['', ''],
  [String.raw`'a\\'`, 'a\\'],
  [String.raw`{a:1,b:{c:[x]},d\ e:null}`, { a: 1, b: { c: ['x'] }, 'd e': null }],
  ['${seed}', '${seed}'],
])('%s is %j in JSON, and comes back', (text, value) => {
  expect(plainValue('key', text)).toEqual(value);
  expect(valueOf(overrideText('key', value))).toEqual(value);
});

test.each(['nan', 'inf', '-inf', '9007199254740993', '[1,[nan]]'])('%s cannot be written as JSON', (text) => {
  expect(() => plainValue('lr', text)).toThrow(`'lr=${text}' cannot be passed on as it is`);
});

test.each([['a\0b'], ['\ud800'], [{ "it's": 1 }], [{ größe: 1 }], [{ '': 1 }]])(
  '%j is refused, since no override has this value',
  (value) => {
    expect(() => overrideText('key', value)).toThrow(/cannot be passed on as it is/);
  },
);

function drawing(seed: number) {
  let state = seed;
  const integer = (below: number) => ((state = (state * 1103515245 + 12345) % 2 ** 31), state % below);
  const characters = [...'aZ01.e-+_ \t\n\'"\\,:=[]{}()/$~@#%*?|é日😀'];
  const pieces = [...characters, '{x', 'null', 'true', 'NaN', 'inf', '1e3', '0.5'];
  const text = (length: number) =>
    Array.from({ length: integer(length) }, () => pieces[integer(pieces.length)]).join('');
  const value = (depth: number): JsonValue => {
    switch (integer(depth > 0 ? 8 : 6)) {
      case 0:
        return null;
      case 1:
        return integer(2) === 0;
      case 2:
        return integer(2 ** 31) - 2 ** 30;
      case 3:
        return (integer(2 ** 31) - 2 ** 30) * 10 ** (integer(60) - 40);
      case 4:
      case 5:
        return text(8);
      case 6:
        return Array.from({ length: integer(4) }, () => value(depth - 1));
      default:
        return Object.fromEntries(
          Array.from({ length: integer(4) }, (_, i) => [`k${i} ${'x:=,'.slice(integer(4))}`.trim(), value(depth - 1)]),
        );
    }
  };
  return value;
}

test('20,000 values that were drawn come back as they are', () => {
  const draw = drawing(7);
  for (let i = 0; i < 20_000; i++) {
    const value = draw(3);
    expect(valueOf(overrideText('key', value))).toEqual(value);
  }
});

test('a composed config has the values: 500 of them', () => {
  const draw = drawing(11);
  // Texts with a dollar sign are left out, since the config would resolve them as interpolations.
  const values = Array.from({ length: 500 }, () => draw(3)).filter((value) => !JSON.stringify(value).includes('$'));
  const overrides = values.map((value, i) => overrideText(`+k${i}`, value));
  const { config } = compose({ configDirs: [], configName: null, overrides });
  expect(values.map((_, i) => config[`k${i}`])).toEqual(values);
});
