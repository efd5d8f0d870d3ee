// Tests JSON Schema as a grammar: each keyword with texts that it accepts and rejects, and answers to random schemas with a validator.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { cpuMilliseconds, isExhaustive } from '@bowyer/testing';
import {
  ConstraintCompiler,
  GrammarError,
  jsonValue,
  UnsupportedSchemaError,
  type CompiledConstraint,
} from '../src/index.js';
import { Draws } from './draws.js';
import { drawnAnswer, idsOf, smallTokenizer } from './constraint-answers.js';

const { tokenizer, vocabulary } = smallTokenizer('gpt2');
const compiler = new ConstraintCompiler(vocabulary);

function accepts(schema: unknown, text: string, options?: { compact?: boolean }): boolean {
  const constraint = compiler.compile(jsonValue(schema, options)).start();
  try {
    for (const id of tokenizer.encode(text)) constraint.accept(id);
  } catch {
    return false;
  }
  return constraint.canEnd;
}

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const text = { type: 'string' };

const table: [keyword: string, schema: unknown, own: string[], others: string[]][] = [
  ['type', { type: 'string' }, ['""', '"é\\n\\u00e9\\""'], ['1', '"\\ud800"', '"\n"', 'x', '"a" ']],
  ['types', { type: ['integer', 'null'] }, ['null', '-12', '0'], ['01', '1.5', '-', 'nul']],
  ['number', { type: 'number' }, ['1', '-0.5', '1e5', '2.5E-7'], ['.5', '1.', '1e999', '+1']],
  ['boolean', { type: 'boolean' }, ['true', 'false'], ['1', 'True']],
  ['enum', { enum: ['a', 1, null, { b: [2] }] }, ['"a"', '1', 'null', '{"b":[2]}'], ['"b"', '2']],
  ['const', { const: 'é"' }, ['"é\\""'], ['"e"']],
  ['enum, of one type', { type: 'string', enum: ['a', 1] }, ['"a"'], ['1']],
  ['minLength, maxLength', { ...text, minLength: 2, maxLength: 3 }, ['"ab"', '"é\\n🙂"'], ['"a"', '"abcd"']],
  ['pattern', { ...text, pattern: '^a+\\d$' }, ['"aa1"'], ['"a"', '"ba1"', '"a11"']],
  ['pattern, anywhere', { ...text, pattern: 'b' }, ['"abc"', '"b"'], ['"ac"']],
  ['pattern, look-ahead', { ...text, pattern: '^(?!ab)(?=.*c)[a-c]{3}$' }, ['"bbc"'], ['"abc"', '"bbb"']],
  [
    'pattern and length',
    { ...text, pattern: '^a*$', minLength: 2, maxLength: 3 },
    ['"aa"', '"aaa"'],
    ['"a"', '"aaaa"'],
  ],
  ['pattern with escapes', { ...text, pattern: '^"\\\\$' }, ['"\\"\\\\"'], ['"\\""']],
  ['format date', { ...text, format: 'date' }, ['"2024-02-29"', '"1999-12-31"'], ['"2023-02-29"', '"2023-13-01"']],
  ['format date-time', { ...text, format: 'date-time' }, ['"2024-02-29T23:59:59.5Z"'], ['"2024-02-29"']],
  ['format uuid', { ...text, format: 'uuid' }, ['"123e4567-e89b-12d3-a456-426614174000"'], ['"123e4567"']],
  ['format email', { ...text, format: 'email' }, ['"a.b@example.com"'], ['"a@"', '"@b.c"']],
  ['format ipv4', { ...text, format: 'ipv4' }, ['"192.168.0.255"'], ['"256.1.1.1"', '"1.1.1"']],
  [
    'format hostname, without encoded names',
    { ...text, format: 'hostname' },
    ['"a"', '"ab"', '"a-b"', '"ab-c"', '"a--b"', '"abc--d.e"'],
    ['"xn--x"', '"a.XN--aa"', '"ab--c"', '"-a"', '"a-"', '"ab-"', '"abc-"'],
  ],
  [
    'format email, without encoded names',
    { ...text, format: 'email' },
    ['"a@b-c.de"'],
    ['"a@xn--x.de"', '"a@b.xn--x"'],
  ],
  ['format uri, without encoded names', { ...text, format: 'uri' }, ['"http://a.b/c:d"'], ['"http://xn--x/"']],
  [
    'format uri-reference',
    { ...text, format: 'uri-reference' },
    ['"a/b:c"', '"/1:b"', '"a?b:c"', '"urn:a:b"'],
    ['"1:b"', '"a b"', '"%:b"'],
  ],
  ['format iri-reference', { ...text, format: 'iri-reference' }, ['"a/b:c"'], ['"1:b"']],
  [
    'format duration',
    { ...text, format: 'duration' },
    ['"P1Y2M3DT4H5M6S"', '"P1YT4S"', '"P2M3D"', '"PT5M"', '"P1W"', '"P1DT1H1M"'],
    ['"P1Y2D"', '"PT1H1S"', '"P"', '"PT"', '"P1WT1H"', '"P1DT"', '"P1H"'],
  ],
  ['minimum, maximum', { type: 'integer', minimum: -5, maximum: 12 }, ['-5', '0', '9', '12'], ['-6', '13', '100']],
  [
    'exclusive bounds',
    { type: 'number', exclusiveMinimum: 0.5, exclusiveMaximum: 2 },
    ['0.51', '1', '1.99'],
    ['0.5', '0.50', '2', '2.0', '0', '-1'],
  ],
  ['exclusive bounds of draft 4', { type: 'integer', minimum: 3, exclusiveMinimum: true }, ['4'], ['3']],
  ['minimum of a fraction', { type: 'number', minimum: 10.25 }, ['10.25', '10.3', '11', '100'], ['10.2', '10', '9.9']],
  [
    'fractions below a large bound',
    { type: 'number', minimum: 0, maximum: 9007199254740991 },
    ['10.5', '0.000001', '999999999.25', '9007199254740991'],
    ['-0.5', '9007199254740992', '1.', '10.1234567'],
  ],
  [
    'fractions above a large negative bound',
    { type: 'number', minimum: -1e15 },
    ['-2.5', '-1000000000000000'],
    ['-1000000000000001'],
  ],
  ['multipleOf', { type: 'integer', multipleOf: 7, minimum: 1 }, ['7', '700'], ['0', '8', '-7']],
  [
    'multipleOf a fraction',
    { type: 'number', multipleOf: 0.25, minimum: 0.5 },
    ['0.5', '0.75', '12', '12.250'],
    ['0.25', '0.55', '1.1', '5e2'],
  ],
  ['multipleOf a power of ten, without bounds', { type: 'number', multipleOf: 0.01 }, ['-3.14', '7'], ['3.141']],
  ['multipleOf among constants', { enum: [0.3, 0.35], multipleOf: 0.1 }, ['0.3'], ['0.35']],
  ['not a type', { not: { type: ['string', 'object'] } }, ['1', 'null', '[]', 'true'], ['"a"', '{}']],
  ['not an integer', { type: 'number', not: { type: 'integer' } }, ['1.5', '-0.25'], ['1', '1.0', '-2.00', '1e2']],
  [
    'not constants',
    { not: { enum: ['a', 1, null, true] } },
    ['"b"', '2', '1.5', 'false', '{}'],
    ['"a"', '1', '1.0', 'null', 'true'],
  ],
  ['not a range', { type: 'integer', not: { minimum: 3, maximum: 5 } }, ['2', '6'], ['3', '4', '5']],
  ['not a pattern', { ...text, not: { pattern: '^a' } }, ['"ba"', '""'], ['"a"', '"ab"']],
  ['not a multiple', { type: 'integer', not: { multipleOf: 2 } }, ['1', '-7'], ['0', '2', '-4']],
  [
    'not required',
    object({ a: text, b: text }, { not: { required: ['a', 'b'] } }),
    ['{}', '{"a":""}', '{"b":""}'],
    ['{"a":"","b":""}'],
  ],
  [
    'not a property of a constant',
    object({ a: {} }, { required: ['a'], not: { properties: { a: { const: 1 } } } }),
    ['{"a":2}', '{"a":"x"}'],
    ['{"a":1}', '{}'],
  ],
  ['not not', { not: { not: { const: 'a' } } }, ['"a"'], ['"b"']],
  [
    'not anyOf',
    { type: ['string', 'integer'], not: { anyOf: [{ const: 1 }, { maxLength: 2 }] } },
    ['"abc"'],
    ['1', '2', '"ab"'],
  ],
  [
    'not an item',
    { type: 'array', items: { type: 'integer' }, not: { prefixItems: [{ const: 1 }] } },
    ['[2]', '[2,1]'],
    ['[]', '[1]', '[1,2]'],
  ],
  [
    'if, then, else',
    object(
      { k: { enum: ['a', 'b'] }, n: { type: 'integer' } },
      {
        required: ['k'],
        if: { properties: { k: { const: 'a' } } },
        then: { required: ['n'] },
        else: { properties: { n: false } },
      },
    ),
    ['{"k":"a","n":1}', '{"k":"b"}'],
    ['{"k":"a"}', '{"k":"b","n":1}', '{}'],
  ],
  [
    'many conditions',
    object(
      {
        k: { enum: Array.from({ length: 20 }, (_, i) => i) },
        ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, text])),
      },
      {
        required: ['k'],
        allOf: Array.from({ length: 20 }, (_, i) => ({
          if: { properties: { k: { const: i } } },
          then: { required: [`p${i}`] },
        })),
      },
    ),
    ['{"k":3,"p3":""}', '{"k":19,"p0":"","p19":""}'],
    ['{"k":3}', '{"k":19,"p3":""}'],
  ],
  ['oneOf with a type in another', { oneOf: [{ type: 'number' }, { type: 'integer' }] }, ['1.5'], ['1', '1.0', '"a"']],
  ['oneOf with ranges', { type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 10 }] }, ['4', '11'], ['5', '7', '10']],
  [
    'contains',
    { type: 'array', items: { type: 'integer' }, contains: { minimum: 5 } },
    ['[5]', '[1,7]', '[7, 1,1]'],
    ['[]', '[1]', '[1,"a"]'],
  ],
  [
    'minContains, maxContains',
    { type: 'array', items: { enum: [1, 2] }, contains: { const: 1 }, minContains: 1, maxContains: 2, maxItems: 4 },
    ['[1]', '[2,1,2]', '[1,2,1,2]'],
    ['[]', '[2]', '[1,1,1]', '[1,2,2,2,2]'],
  ],
  [
    'unevaluatedProperties',
    object(
      { a: text },
      {
        anyOf: [
          { properties: { b: text }, required: ['b'] },
          { properties: { c: text }, required: ['c'] },
        ],
        not: { properties: { d: { const: 1 } }, required: ['d'] },
        unevaluatedProperties: false,
      },
    ),
    ['{"b":""}', '{"a":"","c":""}'],
    ['{}', '{"a":""}', '{"b":"","d":2}'],
  ],
  [
    'uniqueItems of constants',
    { type: 'array', items: { enum: [1, 'a', null] }, uniqueItems: true, minItems: 2 },
    ['["a",1]', '[1, null, "a"]'],
    ['[1]', '[1,1]', '["a",1,"a"]'],
  ],
  [
    'uniqueItems of strings, beside others',
    object({
      t: { type: 'array', items: text, uniqueItems: true },
      l: { type: 'array', items: text },
      k: { type: 'array', items: { type: 'array', items: text, uniqueItems: true } },
    }),
    ['{"t":["a", "b","ab"],"l":["a","a"]}', '{"t":[]}', '{"k":[["a"],["a"]]}', '{"t":["a"],"k":[["t","a"]]}'],
    ['{"t":["a","b","a"]}', '{"t":["a","\\u0061"]}', '{"k":[["a","a"]]}'],
  ],
  [
    'unevaluatedItems',
    { type: 'array', allOf: [{ prefixItems: [{ const: 1 }] }], unevaluatedItems: { const: 2 } },
    ['[]', '[1]', '[1,2,2]'],
    ['[2]', '[1,1]'],
  ],
  [
    'properties',
    object({ a: text, b: { type: 'null' } }),
    ['{}', '{"a":""}', '{"b": null}', '{"a":"x", "b":null}'],
    ['{"b":null,"a":""}', '{"c":1}', '{"a":1}', '{,}'],
  ],
  [
    'required',
    object({ a: text, b: {}, c: text }, { required: ['c', 'a'] }),
    ['{"a":"","c":""}', '{"a":"","b":1,"c":""}'],
    ['{"a":""}', '{}'],
  ],
  ['required, without a schema', { type: 'object', required: ['x'] }, ['{"x":[1]}'], ['{}', '{"y":1}']],
  [
    'additionalProperties',
    object({ a: text }, { additionalProperties: { type: 'boolean' } }),
    ['{"a":"","b":true}', '{"aa":false,"":true}', '{"b":true,"bb":true,"":true}'],
    ['{"a":true}', '{"b":1}', '{"b":true,"a":""}', '{"b":true,"b":true}', '{"é":true,"\\u00e9":true}'],
  ],
  [
    'additionalProperties: false',
    object({ a: text }, { additionalProperties: false }),
    ['{}', '{"a":""}'],
    ['{"b":1}'],
  ],
  [
    'a name once more',
    object({ a: { const: 1 } }, { additionalProperties: true }),
    ['{"a":1,"b":2}'],
    ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}'],
  ],
  [
    'patternProperties',
    { type: 'object', patternProperties: { '^x': { const: 1 }, y$: { type: 'integer' } }, additionalProperties: false },
    ['{"xa":1}', '{"xy":1,"y":5}'],
    ['{"xa":2}', '{"xy":2}', '{"z":1}'],
  ],
  [
    'a name for which an expression of the language would take years',
    object({ [`${'a'.repeat(60)}1`]: { const: 1 } }, { patternProperties: { '^(a+)+$': { const: 2 } } }),
    [`{"${'a'.repeat(60)}1":1}`],
    [`{"${'a'.repeat(60)}1":2}`],
  ],
  [
    'propertyNames',
    { type: 'object', additionalProperties: { const: 1 }, propertyNames: { maxLength: 1 } },
    ['{"a":1}', '{}'],
    ['{"ab":1}'],
  ],
  [
    'minProperties, maxProperties',
    object({ a: { const: 1 }, b: { const: 1 }, c: { const: 1 } }, { minProperties: 1, maxProperties: 2 }),
    ['{"a":1}', '{"a":1,"c":1}'],
    ['{}', '{"a":1,"b":1,"c":1}'],
  ],
  ['items', { type: 'array', items: { enum: [1, 2] } }, ['[]', '[1]', '[1, 2,1]'], ['[3]', '[1,]', '[1 2]']],
  [
    'minItems, maxItems',
    { type: 'array', items: { const: 1 }, minItems: 1, maxItems: 2 },
    ['[1]', '[1,1]'],
    ['[]', '[1,1,1]'],
  ],
  [
    'prefixItems',
    { type: 'array', prefixItems: [{ const: 1 }, text], items: false, minItems: 1 },
    ['[1]', '[1,""]'],
    ['[]', '[1,"",1]', '[""]'],
  ],
  [
    'items as a list',
    { type: 'array', items: [{ const: 1 }], additionalItems: { const: 2 } },
    ['[]', '[1,2,2]'],
    ['[2]'],
  ],
  ['anyOf', { anyOf: [{ const: 1 }, { type: 'string', maxLength: 1 }] }, ['1', '"a"'], ['2', '"ab"']],
  [
    'anyOf beside others',
    object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    ['{"a":""}', '{"b":""}'],
    ['{}'],
  ],
  [
    'oneOf with a constant',
    {
      oneOf: [
        object({ t: { const: 'a' }, x: text }, { required: ['t'] }),
        object({ t: { const: 'b' } }, { required: ['t'] }),
      ],
    },
    ['{"t":"a","x":""}', '{"t":"b"}'],
    ['{"t":"b","x":""}', '{}'],
  ],
  [
    'oneOf with required',
    object({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    ['{"a":""}', '{"b":""}'],
    ['{"a":"","b":""}', '{}'],
  ],
  [
    'allOf',
    { allOf: [object({ a: text }, { required: ['a'] }), object({ a: { minLength: 1 }, b: text })] },
    ['{"a":"x"}', '{"a":"x","b":""}'],
    ['{"a":""}', '{"b":""}'],
  ],
  [
    'dependentRequired',
    object({ a: text, b: text }, { dependentRequired: { a: ['b'] } }),
    ['{}', '{"b":""}', '{"a":"","b":""}'],
    ['{"a":""}'],
  ],
  ['$ref', { $ref: '#/$defs/x~1y', $defs: { 'x/y': { const: 1 } } }, ['1'], ['2']],
  [
    '$ref in an embedded schema',
    {
      $id: 'https://x.y/tree',
      ...object({ n: { $ref: 'n#/$defs/k' } }, { required: ['n'] }),
      $defs: {
        k: { const: 2 },
        n: { $id: 'n', $defs: { k: { allOf: [{ $ref: '#in' }] }, in: { $anchor: 'in', const: 1 } } },
      },
    },
    ['{"n":1}'],
    ['{"n":2}', '{}'],
  ],
  ['$ref by its anchor', { $ref: '#n', definitions: { n: { $anchor: 'n', const: 1 } } }, ['1'], ['2']],
  [
    'recursion',
    { ...object({ v: { type: 'integer' }, next: { $ref: '#' } }, { required: ['v'] }) },
    ['{"v":1}', '{"v":1,"next":{"v":2, "next":{"v":3}}}'],
    ['{"next":{"v":1}}', '{"v":1,"next":{}}'],
  ],
  ['no schema', true, ['1', '{"a":[{}]}', '"x"'], ['', 'x']],
  [
    'annotations',
    {
      type: 'null',
      title: 't',
      description: 'd',
      default: 1,
      examples: [1],
      'x-own': {},
      $comment: '',
      deprecated: true,
    },
    ['null'],
    ['1'],
  ],
  ['a keyword of one type', { minLength: 1 }, ['"a"'], ['1', '""']],
  ['a keyword of a type without values', { contains: false }, ['"a"', '1', '{}'], ['[]', '[1]']],
];

/**
 * Rows that the validator is not asked about: keywords of older drafts, and a pattern on which JavaScript's regular expressions take
 * far too long.
 */
const beyondValidator = [
  'exclusive bounds of draft 4',
  'items as a list',
  'a name for which an expression of the language would take years',
];

test.each(table)('%s', (keyword, schema, own, others) => {
  const options = { strict: false, validateFormats: false, validateSchema: false };
  const validate = new Ajv2020({ ...options, multipleOfPrecision: 12 });
  for (const each of own)
    expect({ text: each, isAccepted: accepts(schema, each) }).toEqual({ text: each, isAccepted: true });
  for (const each of others)
    expect({ text: each, isAccepted: accepts(schema, each) }).toEqual({ text: each, isAccepted: false });
  if (!beyondValidator.includes(keyword))
    for (const each of own) expect(validate.validate(schema as object, JSON.parse(each))).toBe(true);
});

const nested = { type: 'object', patternProperties: { '^(a|é?)$': { const: 0 }, '^o$': { type: 'object' } } };

test.each([
  ['of three names', { type: 'object', patternProperties: { '^[ab]?$': { const: 0 } }, additionalProperties: false }],
  ['of one name, or of a beginning', { type: 'object', patternProperties: { '^(a|b.?)$': { const: 0 } } }],
  ['of several patterns', { ...nested, additionalProperties: nested, propertyNames: { pattern: '^([aéo]?|c+)$' } }],
  ['that is free', { type: 'object', additionalProperties: { type: 'boolean' }, propertyNames: { maxLength: 1 } }],
  ['with a name of its own', object({ a: { const: 0 } }, { additionalProperties: { type: 'object' } })],
])('an object %s has no name twice, and ends', (_, schema) => {
  for (const kind of ['gpt2', 'llama2', 'qwen2']) {
    const own = smallTokenizer(kind);
    const compiled = new ConstraintCompiler(own.vocabulary).compile(jsonValue(schema));
    for (let seed = 0; seed < 25; seed++) {
      const { ids, finished } = drawnAnswer(compiled, own.vocabulary, 150, new Draws(seed));
      const written = own.tokenizer.decode(ids);
      expect({ finished, names: namesIn(written), written }).toEqual({
        finished: true,
        names: keysOf(JSON.parse(written)),
        written,
      });
    }
  }
});

/** Counts the names in the text: strings that a colon follows. */
const namesIn = (json: string): number =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"(:?)/g)].filter(([, colon]) => colon).length;

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, each) => sum + keysOf(each), own);
}

test('compact texts have no white space', () => {
  const schema = object({ a: { type: 'array', items: { type: 'integer' } } });
  expect(accepts(schema, '{"a": [1, 2]}')).toBe(true);
  expect(accepts(schema, '{"a": [1, 2]}', { compact: true })).toBe(false);
  expect(accepts(schema, '{"a":[1,2]}', { compact: true })).toBe(true);
});

const refused: [schema: unknown, message: string][] = [
  [{ not: {} }, 'so that no value is valid'],
  [{ type: 'array', contains: false }, 'so that no value is valid'],
  [{ ...text, not: { format: 'ipv4' } }, "'not' at #/not excludes what 'format' asks, which is not supported"],
  [{ type: 'object', not: { propertyNames: text } }, "'not' at #/not excludes what 'propertyNames' asks"],
  [
    { type: 'array', uniqueItems: true },
    "'uniqueItems' at # is supported for up to 8 constants, and for strings with a minItems of 0 or 1",
  ],
  [{ $ref: 'https://example.com/x' }, 'references to other documents are not supported'],
  [{ $ref: '#/$defs/none' }, 'there is nothing at this place'],
  [{ $ref: '#' }, "'$ref' at # leads back to itself"],
  [{ ...text, format: 'color' }, '\'format\' at # is "color", which is not supported; known: date, time,'],
  [{ ...text, pattern: '(a)\\1' }, 'has a backreference, which is not supported'],
  [{ ...text, pattern: '\\bx' }, 'has \\b, which is not supported'],
  [{ ...text, pattern: '(' }, 'is not well formed'],
  [{ ...object({ a: true }), patternProperties: { 'x{2,1}': true } }, 'at #/patternProperties/x{2,1} is not supported'],
  [
    { ...text, oneOf: [{ format: 'date' }, { format: 'time' }, { format: 'hostname' }] },
    "'oneOf' at # has branches that do not exclude each other",
  ],
  [{ type: 'integer', multipleOf: 1001 }, 'only integers from 1 to 1000, and these divided by a power of ten'],
  [{ type: 'integer', multipleOf: 0 }, "'multipleOf' at # must be greater than 0"],
  [{ type: 'text' }, '\'type\' at # is "text"; known: object, array'],
  [{ type: 'string', minLength: -1 }, "'minLength' at # must be an integer of at least 0"],
  [
    object({ a: text }, { patternProperties: { '^x': text }, minProperties: 3 }),
    "'minProperties' at # is 3; up to 2 is supported here, one more than there are names in 'properties' and 'required'",
  ],
  [{ type: 'object', minProperties: 2 }, "'minProperties' at # is 2; up to 1 is supported here"],
  [{ allOf: [{ type: 'string' }, { type: 'null' }] }, 'so that no value is valid'],
  [object({ a: false }, { required: ['a'] }), 'so that no value is valid'],
  [{ ...text, minLength: 5, maxLength: 2 }, 'so that no value is valid'],
  [{ ...text, pattern: '^a$', minLength: 3 }, 'so that no value is valid'],
  [{ ...text, format: 'ipv4', maxLength: 3 }, 'so that no value is valid'],
  [{ $schema: 'https://json-schema.org/draft/2020-12/schema', ...text, enum: [1] }, 'so that no value is valid'],
  ['string', 'the schema at # must be a schema'],
];

test.each(refused)('%j is refused', (schema, message) => {
  expect(() => jsonValue(schema)).toThrow(UnsupportedSchemaError);
  expect(() => jsonValue(schema)).toThrow(message);
});

/** Draws a schema of the supported keywords. */
function randomSchema(rng: Draws, depth: number): object {
  const pick = <T>(list: readonly T[]): T => list[rng.integer(0, list.length - 1)];
  const kinds = [
    'string',
    'integer',
    'number',
    'enum',
    'boolean',
    ...(depth > 0
      ? ['object', 'object', 'array', 'anyOf', 'allOf', 'not', 'if', 'oneOf', 'contains', 'unevaluated']
      : []),
  ];
  const inner = () => randomSchema(rng, depth - 1);
  switch (pick(kinds)) {
    case 'string':
      return pick([
        { ...text, maxLength: rng.integer(0, 9) },
        { ...text, minLength: 3 },
        { ...text, pattern: '^[a-z]{2,4}-\\d+$' },
        { ...text, pattern: 'q' },
        text,
      ]);
    case 'integer': {
      const minimum = rng.integer(-500, 500);
      return { type: 'integer', minimum, maximum: minimum + rng.integer(0, 300) };
    }
    case 'number': {
      const minimum = rng.integer(-500, 500) / 8;
      return pick<object>([
        { type: 'number', exclusiveMinimum: minimum, maximum: minimum + rng.integer(1, 300) / 16 },
        { type: 'number', multipleOf: pick([0.5, 0.25, 2, 3]) },
      ]);
    }
    case 'enum':
      return {
        enum: ['a', 'b"\\', 'é', 0, -1.5, null, [1], { a: 1 }].filter(() => rng.uniform() < 0.6).concat(7 as never),
      };
    case 'object': {
      const names = ['a', 'b', 'a b', 'ü', '"'].filter(() => rng.uniform() < 0.6);
      return object(Object.fromEntries(names.map((name) => [name, inner()])), {
        required: names.filter(() => rng.uniform() < 0.5),
        ...pick<object>([
          {},
          { additionalProperties: false },
          { additionalProperties: inner() },
          { patternProperties: { '^x': inner() } },
        ]),
      });
    }
    case 'array':
      return pick<object>([
        { type: 'array', items: inner(), minItems: rng.integer(0, 2), maxItems: rng.integer(2, 4) },
        { type: 'array', items: { enum: ['a', 1, 'b'] }, uniqueItems: true, minItems: rng.integer(0, 3) },
        {
          type: 'array',
          items: { ...text, maxLength: rng.integer(0, 2) },
          uniqueItems: true,
          minItems: rng.integer(0, 1),
        },
        { type: 'array', items: { ...text, pattern: '^[ab]?$' }, uniqueItems: true },
      ]);
    case 'anyOf':
      return { anyOf: [inner(), inner()] };
    case 'not':
      return { type: ['string', 'integer', 'number', 'object', 'array', 'boolean'], not: inner() };
    case 'if':
      return {
        allOf: [{ type: ['string', 'object', 'array', 'number'] }, { if: inner(), then: inner(), else: inner() }],
      };
    case 'oneOf':
      return { oneOf: [inner(), inner(), { type: 'null' }] };
    case 'unevaluated':
      return {
        type: ['object', 'array', 'integer'],
        anyOf: [inner(), { not: inner() }, object({ z: inner() })],
        unevaluatedProperties: pick([false, inner()]),
        unevaluatedItems: pick([false, inner()]),
      };
    case 'contains':
      return {
        type: 'array',
        contains: inner(),
        minContains: rng.integer(0, 2),
        maxContains: rng.integer(2, 3),
        maxItems: 5,
      };
    case 'allOf':
      return {
        allOf: [{ type: ['string', 'integer', 'object', 'array', 'null'] }, { anyOf: [inner(), { type: 'null' }] }],
      };
    default:
      return { type: 'boolean' };
  }
}

/** Compiles a schema; null where it is refused, or has no value. */
function compiledOf(schema: object): CompiledConstraint | null {
  try {
    return compiler.compile(jsonValue(schema));
  } catch (error) {
    if (error instanceof UnsupportedSchemaError || error instanceof GrammarError) return null;
    throw error;
  }
}

test('whatever is sampled, answers to random schemas end within their tokens and are valid', () => {
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 12 });
  let served = 0;
  const seeds = Number(process.env.SEEDS ?? (isExhaustive() ? 150 : 60));
  for (let seed = 0; seed < seeds; seed++) {
    const rng = new Draws(seed);
    const schema = randomSchema(rng, 3);
    const compiled = compiledOf(schema);
    if (compiled === null) continue;
    served++;
    const isValid = ajv.compile(schema);
    for (const room of [1, 8, 60]) {
      const { ids, finished } = drawnAnswer(compiled, vocabulary, compiled.leastTokens + room, rng);
      const answer = tokenizer.decode(ids);
      expect(finished).toBe(true);
      expect({ seed, answer, isValid: isValid(JSON.parse(answer)) }).toEqual({ seed, answer, isValid: true });
    }
  }
  expect(served).toBeGreaterThan(0.7 * seeds);
});

test.each(['llama2', 'mistral', 'gemma', 'deberta3', 'qwen2', 'bert-cased'])(
  '%s: answers are valid by what a client reads',
  (kind) => {
    const own = smallTokenizer(kind);
    const schema = object(
      { n: { type: 'integer' }, s: { ...text, maxLength: 5 }, l: { type: 'array', items: { type: 'boolean' } } },
      { required: ['n', 's'] },
    );
    let compiled;
    try {
      compiled = new ConstraintCompiler(own.vocabulary).compile(jsonValue(schema));
    } catch (error) {
      // This vocabulary contains no quotation mark.
      expect(`${kind}: ${(error as Error).message}`).toMatch(/^bert-cased: no text of the grammar can be spelled/);
      return;
    }
    const isValid = new Ajv2020({ strict: false }).compile(schema);
    for (let seed = 0; seed < 20; seed++) {
      const { ids, finished } = drawnAnswer(compiled, own.vocabulary, compiled.leastTokens + 1 + seed, new Draws(seed));
      expect(finished).toBe(true);
      expect(isValid(JSON.parse(own.tokenizer.decode(ids)))).toBe(true);
    }
  },
);

test('a schema with hundreds of optional properties is compiled; of too many optional ones the error says how many', () => {
  const names = Array.from({ length: 4_000 }, (_, i) => `p${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'null' }]));
  const optional = jsonValue(object(properties));
  expect(() => compiler.compile(optional)).toThrow(/about 1,000 properties that are not required/);
  const some = names.slice(0, 500);
  const constraint = compiler.compile(
    jsonValue(object(Object.fromEntries(some.map((name) => [name, { type: 'null' }])))),
  );
  expect(constraint.leastTokens).toBeLessThan(5);
});

const count = (length: number) => Array.from({ length }, (_, i) => i);
const doubled = Object.fromEntries(
  count(26).map((i) => [
    `d${i}`,
    i === 0 ? object({ a: text }) : { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] },
  ]),
);

/** Schemas of a few bytes or some megabytes that describe more than fits into memory. */
const floods: [kind: string, schema: unknown][] = [
  ['one value of megabytes', { enum: ['x'.repeat(5_000_000)] }],
  ['a constant of megabytes', { const: 'é'.repeat(2_000_000) }],
  ['values with long beginnings in common', { enum: count(3000).map((i) => 'a'.repeat(i)) }],
  ['24,000 long values', { enum: count(24_000).map((i) => `v${i}${'x'.repeat(100)}`) }],
  ['combined lists of values', { allOf: count(200).map(() => ({ enum: count(5000).map((i) => ({ i })) })) }],
  ['one list of distinct values', { const: count(30_000), uniqueItems: true }],
  [
    'look-aheads',
    {
      ...text,
      pattern: `^${count(30)
        .map((i) => `(?=.*${'abcdefghij'[i % 10]}${i})`)
        .join('')}.*$`,
    },
  ],
  ['several patterns', { allOf: count(10).map((i) => ({ ...text, pattern: `a.{${i + 5}}b` })) }],
  ["alternatives behind a text's end", { ...text, pattern: `$${'(?:(?=)|b?)'.repeat(40)}c` }],
  ['groups that look ahead', { ...text, pattern: `${'(?:(?=a)|b)'.repeat(40)}c` }],
  [
    'a pattern of a megabyte',
    {
      ...text,
      pattern: count(100_000)
        .map((i) => `k${i}`)
        .join('|'),
    },
  ],
  ['many large classes', { ...text, pattern: '[\\p{L}\\p{N}]'.repeat(5000) }],
  [
    'many kinds of classes',
    {
      ...text,
      pattern:
        'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
          .split('')
          .map((c) => `\\p{Script=Latin}[${c}]`)
          .join('') + '\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}\\p{Mn}',
    },
  ],
  ['references that double', { $defs: doubled, $ref: '#/$defs/d25' }],
  [
    'addresses that grow',
    {
      $ref: '#/$defs/x',
      $defs: { x: text, y: count(10_000).reduce<object>((y) => ({ $id: 'abc/', $defs: { y } }), {}) },
    },
  ],
  ['required names', { type: 'object', required: count(100_000).map((i) => `r${i}`) }],
  [
    'patterns of names',
    { type: 'object', patternProperties: Object.fromEntries(count(6).map((i) => [`a.{${i + 4}}b`, text])) },
  ],
];

test.each(floods)('%s: is refused after little work', (_, schema) => {
  const answered = () => {
    const constraint = new ConstraintCompiler(vocabulary).compile(jsonValue(schema)).start();
    const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
    for (let i = 0; i < 40; i++) {
      constraint.allowed(mask);
      const next = idsOf(mask).find((id) => !vocabulary.endIds.includes(id));
      if (next === undefined) break;
      constraint.accept(next);
    }
  };
  const took = cpuMilliseconds(() => expect(answered).toThrow(/steps of work|more than 20000 states/));
  expect(took).toBeLessThan(4000);
});

const large: [kind: string, schema: object, text: string, other: string][] = [
  ['20,000 numbers', { enum: count(20_000) }, '19999', '20000'],
  ['2,000 names', { enum: count(2000).map((i) => `a name of ${i}`) }, '"a name of 17"', '"a name of 2000"'],
  ['values that begin others', { enum: [1, 12, 123, 'a', 'aa', ''] }, '12', '13'],
  ['5,000 objects', { enum: count(5000).map((a) => ({ a })) }, '{"a":4999}', '{"a":5000}'],
  [
    '200 alternatives',
    { anyOf: count(200).map((i) => object({ k: { const: `k${i}` } }, { required: ['k'] })) },
    '{"k":"k7"}',
    '{"k":"k200"}',
  ],
  [
    '500 properties and others',
    object(Object.fromEntries(count(500).map((i) => [`p${i}`, text])), { additionalProperties: { type: 'integer' } }),
    '{"p3":"a","q":1}',
    '{"p3":1}',
  ],
];

test.each(large)('%s: are served', (_, schema, own, other) => {
  expect([accepts(schema, own), accepts(schema, other)]).toEqual([true, false]);
});

test.each([
  [
    'an anchor in a value',
    {
      $defs: {
        e: { enum: [{ $anchor: 'k', type: 'null' }] },
        s: { $anchor: 'k', ...text },
        z: { const: { $anchor: 'k', type: 'null' } },
      },
      $ref: '#k',
    },
  ],
  [
    'an id in a value',
    {
      $defs: { s: { $id: 'https://x.y/k', ...text }, z: { const: { $id: 'https://x.y/k', type: 'null' } } },
      $ref: 'https://x.y/k',
    },
  ],
  [
    'an id in an example',
    {
      $defs: { s: { $id: 'https://x.y/k', ...text } },
      examples: [{ id: 'https://x.y/k', type: 'null' }],
      $ref: 'https://x.y/k',
    },
  ],
  [
    'an id in a default',
    {
      $defs: { s: { $id: 'https://x.y/k', ...text } },
      default: { $id: 'https://x.y/k', type: 'null' },
      $ref: 'https://x.y/k',
    },
  ],
  [
    'an id in an unknown keyword',
    {
      $defs: { s: { $id: 'https://x.y/k', ...text } },
      note: { $id: 'https://x.y/k', type: 'null' },
      $ref: 'https://x.y/k',
    },
  ],
  [
    'a property that is called so',
    {
      $defs: { s: { $anchor: 'k', ...text } },
      properties: { $anchor: { const: 'k' }, const: { $anchor: 'other' } },
      $ref: '#k',
    },
  ],
])('%s does not name a schema', (_, schema) => {
  expect([accepts(schema, '"a"'), accepts(schema, 'null')]).toEqual([true, false]);
});

test('an anchor below a property of any name is found', () => {
  const schema = {
    properties: { const: { $anchor: 'c', type: 'null' }, enum: { $id: 'urn:e', ...text } },
    allOf: [{ properties: { a: { $ref: '#c' }, b: { $ref: 'urn:e' } } }],
  };
  expect([accepts(schema, '{"a":null,"b":"x"}'), accepts(schema, '{"a":"x"}')]).toEqual([true, false]);
});

test('a grammar that takes too much work leaves the compiler unchanged', () => {
  const own = new ConstraintCompiler(vocabulary);
  expect(() => own.compile(jsonValue(floods.find(([kind]) => kind === 'look-aheads')![1]))).toThrow(GrammarError);
  const kept = own.compile(jsonValue(text));
  expect([kept.isStale, kept.leastTokens > 0, kept.start().canEnd]).toEqual([false, true, false]);
});
