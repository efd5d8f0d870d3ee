import { Ajv } from 'ajv';
import { quickCheck } from './quick-check.js';

const ajv = new Ajv({ strict: false, validateFormats: false });
const schemas = [
  true,
  { type: 'integer', minimum: 1, maximum: 3 },
  { type: ['number', 'null'], exclusiveMinimum: 0 },
  { type: 'number', exclusiveMaximum: 2 },
  { type: 'string', minLength: 1, maxLength: 2 },
  { type: 'string', pattern: '^a.$' },
  { enum: ['a', 1, null] },
  { const: false },
  { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2, uniqueItems: true },
  { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] },
  { properties: { a: { type: 'integer' } }, additionalProperties: false },
  { properties: { a: {} }, patternProperties: { '^b': { type: 'string' } }, additionalProperties: { type: 'null' } },
  { anyOf: [{ type: 'string' }, { type: 'object', required: ['b'] }] },
  { oneOf: [{ type: 'integer' }, { minimum: 2 }] },
  { allOf: [{ type: 'integer' }, { minimum: 2 }] },
  { not: { type: 'string' } },
  { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'integer' } },
  { $defs: { 'x/y': { type: 'integer' } }, properties: { a: { $ref: '#/$defs/x~1y' } } },
  { type: 'boolean', description: 'unknown keywords are ignored', unit: 'nats', format: 'email' },
];
const scalars = [null, true, false, 0, 1, 1.5, 2, 3, -1, 1e300, NaN, Infinity, '', 'a', 'ab', '🤖b', 'abc'];
const values: unknown[] = [
  ...scalars,
  [],
  [1],
  [1, 1],
  [1, 2],
  [1, 2, 3],
  ['a'],
  {},
  ...scalars.map((a) => ({ a })),
  ...scalars.map((b) => ({ a: 1, b })),
  ...scalars.map((c) => ({ c })),
];

test.each(schemas.map((schema) => [JSON.stringify(schema), schema]))('%s: says what ajv says', (_, schema) => {
  const check = ajv.compile(schema as object);
  for (const value of values)
    expect([value, quickCheck(schema as Record<string, unknown>, value)]).toEqual([value, check(value)]);
});

test.each([
  { multipleOf: 2 },
  { properties: { a: { minProperties: 1 } } },
  { enum: [{ x: 1 }] },
  { items: [{}] },
  { $ref: 'other.json' },
])('%j is left to ajv', (schema) => {
  const value = 'items' in schema ? [1] : { a: {} };
  expect(quickCheck(schema, value)).toBeUndefined();
});
