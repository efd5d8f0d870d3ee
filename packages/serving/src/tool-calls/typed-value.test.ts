import { cpuMilliseconds } from '@bowyer/testing';
import { typedValue } from './typed-value.js';

const edition = { type: 'string', enum: ['1.0', '2.0'] };
const properties = {
  text: { type: 'string' },
  count: { type: 'integer' },
  either: { type: ['integer', 'string'] },
  any: { description: 'of any type' },
  reference: { $ref: '#/$defs/Edition' },
  joined: { allOf: [{ $ref: '#/$defs/Edition' }], default: '1.0' },
  branches: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
  automatic: { anyOf: [{ const: 'auto' }, { type: 'integer', minimum: 1 }] },
  narrowed: { type: ['integer', 'string'], allOf: [{ not: { type: 'string' } }] },
  short: { type: ['integer', 'string'], maxLength: 2 },
  digits: { enum: [1, '2'] },
  maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  maybeCount: { type: ['integer', 'null'] },
  list: { type: 'array' },
  flag: { type: 'boolean' },
  itself: { $ref: '#/properties/itself' },
  coded: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[A-Z]+[0-9]*$' }] },
  optional: { type: 'string', nullable: true },
  anchored: { $ref: '#edition' },
  escaped: { $ref: '#/$defs/Box%3Cint%3E' },
};
const $defs = { Edition: { ...edition, $anchor: 'edition' }, 'Box<int>': edition };
const parameters = { type: 'object', properties, $defs };

test.each<[key: keyof typeof properties, raw: string, json: string | null]>([
  // The following texts are strings, since neither JSON nor Python allows a number with a leading zero or a plus sign.
  ['either', '01067', '"01067"'],
  ['branches', '007', '"007"'],
  ['any', '00', '"00"'],
  ['any', '+7', '"+7"'],
  ['either', '+7', '"+7"'],
  // For the following texts, the schema allows both a string and another value; the string is preferred.
  ['either', '7', '"7"'],
  ['branches', '-1.50', '"-1.50"'],
  ['maybe', 'true', '"true"'],
  ['maybe', ' null', '" null"'],
  ['maybe', 'null', 'null'],
  // For the following texts, the schema allows only one of the values as which the text can be read.
  ['text', '[1]', '"[1]"'],
  ['text', '"a"', '"\\"a\\""'],
  ['joined', '2.0', '"2.0"'],
  ['reference', '2.0', '"2.0"'],
  ['count', '1.0', '1.0'],
  ['count', '7318204915520000013', '7318204915520000013'],
  ['count', '+7', '7'],
  ['count', '007', '7'],
  ['count', '-0012345678901234567890', '-12345678901234567890'],
  ['automatic', '7', '7'],
  ['automatic', 'auto', '"auto"'],
  ['narrowed', '7', '7'],
  ['short', '700', '700'],
  ['short', '70', '"70"'],
  ['digits', '1', '1'],
  ['digits', '2', '"2"'],
  ['coded', '7', '7'],
  ['coded', 'B7', '"B7"'],
  ['optional', 'null', 'null'],
  ['optional', 'nullable', '"nullable"'],
  ['anchored', '2.0', '"2.0"'],
  ['escaped', '2.0', '"2.0"'],
  ['list', "[True, 'a']", '[true, "a"]'],
  ['flag', 'False', 'false'],
  ['maybeCount', 'None', 'null'],
  ['any', '[1]', '[1]'],
  ['any', '5', '5'],
  ['itself', '5', '5'],
  // For the following texts, the schema allows none of the values as which the text can be read: the argument gets an allowed
  // type, and the tool itself may refuse it.
  ['count', '2.5', '2.5'],
  ['joined', '3.0', '"3.0"'],
  ['automatic', '0', '"0"'],
  ['count', 'many', '"many"'],
  // An empty text is an empty string if the schema allows strings; otherwise the argument is omitted.
  ['text', '', '""'],
  ['either', '', '""'],
  ['count', '', null],
  ['maybeCount', '', null],
  ['list', '', null],
  ['any', '', '""'],
])('%s: %j', (key, raw, json) => {
  expect(typedValue(raw, key, parameters)).toBe(json);
});

test.each<[string, object]>([
  ['allOf', { allOf: [{ properties: { code: { type: 'string' } } }, {}] }],
  ['$ref', { $ref: '#/$defs/Code', $defs: { Code: { properties: { code: { type: 'string' } } } } }],
  ['anyOf', { anyOf: [{ properties: { code: { type: 'string' } } }, { properties: { code: edition } }] }],
  ['additionalProperties', { properties: {}, additionalProperties: { type: 'string' } }],
])('the type of an argument is read where the schema has it: %s', (_, schema) => {
  expect(typedValue('7', 'code', schema as Record<string, unknown>)).toBe('"7"');
});

test('a client’s regular expressions take bounded time; one that takes more counts as matching', () => {
  const either = (pattern: string) => ({ anyOf: [{ type: 'integer' }, { type: 'string', pattern }] });
  const wild = Array.from({ length: 200 }, (_, i) => either(`^(?=(a|b)*a(a|b){${10 + i}}$)((a|b)*c){9}$`));
  const took = cpuMilliseconds(() => {
    expect(typedValue('7', 'code', { properties: { code: { allOf: wild } } })).toMatch(/^"?7"?$/);
    const long = '7'.repeat(200_000);
    expect(typedValue(long, 'code', { properties: { code: either('^(7+)+x$') } })).toBe(JSON.stringify(long));
  });
  expect(took).toBeLessThan(4000);
});

test('schemas that refer to others many times are looked at once each', () => {
  const names = Array.from({ length: 5 }, (_, i) => `d${i}`);
  const twice = (i: number, keyword: string) => ({ [keyword]: Array(30).fill({ $ref: `#/$defs/d${i + 1}` }) });
  const $defs = {
    ...Object.fromEntries(names.map((name, i) => [name, twice(i, i % 2 === 0 ? 'allOf' : 'anyOf')])),
    d5: { properties: { code: { type: 'string' } }, type: ['object', 'string'] },
  };
  const took = cpuMilliseconds(() => {
    expect(typedValue('7', 'code', { $ref: '#/$defs/d0', $defs })).toBe('"7"');
    expect(typedValue('7', 'code', { properties: { code: { $ref: '#/$defs/d0' } }, $defs })).toBe('"7"');
  });
  expect(took).toBeLessThan(2000);
});
