// Tests that JSON in a dialogue is printed as it was written.
import { Template } from './template.js';
import { jsonAsWritten, keepNumbers, parseJson, writtenJson } from './written-json.js';

const render = (source: string, text: string) => new Template(source).render({ a: writtenJson(text) }).text;

test.each([
  '{"x": 1.0, "y":1e5,"x": 12345678901234567890}',
  '{ "é": "\\u00e9\\/", "n": [ -0, [], {} ], "t": true, "z": null }',
  '[1.50, "a"]',
  '{"a": 1', // invalid JSON
  '"text"',
])('tojson prints %s', (text) => {
  expect(render('{{ a | tojson }}', text)).toBe(text);
  expect(render('{{ {"name": "f", "arguments": a} | tojson }}', text)).toBe(`{"name": "f", "arguments": ${text}}`);
});

test('members are values, whose texts are kept', () => {
  const text = '{"f": 1.0, "big": 12345678901234567890, "list": [1,  2.50], "s": "it\\u0027s", "b": true, "n": null}';
  expect(render('{% for k, v in a | items %}{{ k }}={{ v | string }};{% endfor %}', text)).toBe(
    "f=1.0;big=12345678901234567890;list=[1, 2.50];s=it's;b=True;n=None;",
  );
  expect(render('{{ a.list | tojson }}', text)).toBe('[1,  2.50]');
  expect(render('{{ a.f is float }} {{ a.big is integer }} {{ a.f + 1 }} {{ a is mapping }}', text)).toBe(
    'True True 2.0 True',
  );
});

test.each([
  ['{"x":1.0,"y":[7318204915520000013,{"z":null}]}', '{"x": 1.0, "y": [7318204915520000013, {"z": null}]}'],
  ['{"a":"\\u0031"}', '{"a":"\\u0031"}'], // JSON.stringify would not write this escape
])('text without spaces, as programs write it again, is laid out by the template: %s', (text, laidOut) => {
  expect(render('{{ a | tojson }}', text)).toBe(laidOut);
});

test('a template that lays JSON out again writes the values', () => {
  expect(render('{{ a | tojson(indent=1) }}', '{"x":1.0,"y":[]}')).toBe('{\n "x": 1.0,\n "y": []\n}');
});

test('a text that is not an object has no members', () => {
  expect(render('{{ a | length }}{{ a.x is defined }}', '{"x": ')).toBe('0False');
});

test.each([
  '[' + '1,'.repeat(20_000) + '{"x": [1.0]}]',
  `{ ${Array.from({ length: 20_000 }, (_, i) => `"${i}":1.0`).join(',')}}`,
])('many members are read in steps', (text) => {
  const variables = { a: writtenJson(text), b: JSON.parse(text) as unknown };
  const steps = new Template('{{ a | tojson }}{{ b | length }}').renderInSteps(variables);
  let count = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      expect(value.text).toBe(`${text}${text.startsWith('[') ? 20_001 : 20_000}`);
      break;
    }
    count++;
  }
  expect(count).toBeGreaterThanOrEqual(2 * Math.floor(20_000 / 1024));
});

describe('a value keeps the texts of its numbers', () => {
  const text =
    '{"f":1.0,"big":7318204915520000013,"list":[0.0,2,{"e":1E5,"z":-0,"tiny":0.00001}],"s":"1.0","plain":0.25,"huge":1e400}';
  const plain = (json: string): unknown => JSON.parse(json);

  test('it is that of JSON.parse, and prints as it came, laid out by the template', () => {
    const value = parseJson(text);
    expect(value).toEqual(plain(text));
    expect(jsonAsWritten(value)).toBe(text);
    expect(jsonAsWritten(plain(text))).not.toBe(text);
    expect(new Template('{{ a | tojson }}').render({ a: value }).text).toBe(
      '{"f": 1.0, "big": 7318204915520000013, "list": [0.0, 2, {"e": 1E5, "z": -0, "tiny": 0.00001}], "s": "1.0", "plain": 0.25, "huge": 1e400}',
    );
    expect(new Template('{{ a.list[0] }} {{ a.big }} {{ a.f + 1 }} {{ a.f is float }}').render({ a: value }).text).toBe(
      '0.0 7318204915520000013 2.0 True',
    );
  });

  test('copies of an object keep them where they are said to', () => {
    const value = parseJson('{"a":1.0,"b":[2.0]}') as Record<string, unknown>;
    expect(jsonAsWritten({ ...value })).toBe('{"a":1,"b":[2.0]}');
    expect(jsonAsWritten(keepNumbers(value, { ...value }))).toBe('{"a":1.0,"b":[2.0]}');
    expect(jsonAsWritten(keepNumbers(value.b as object, [0, 2], 1))).toBe('[0,2.0]');
  });

  test.each(['{"a":1.0,"a":"x"}', '{"a":"x","a":1.0}', '{"a":[1.0],"a":[2]}', '{"a":{"b":1,"b":1.50}}'])(
    'repeated keys are named, and the last one counts: %s',
    (json) => {
      const repeated: string[] = [];
      const value = parseJson(json, (key) => repeated.push(key));
      expect(value).toEqual(plain(json));
      expect(repeated).toEqual([json.includes('"b"') ? 'b' : 'a']);
    },
  );

  test('keys in strings, and keys of different objects, are not repeated', () => {
    const json = '{"a:":":","b":{"a:":1,"c\\":":2.0},"l":[{"a":1},{"a":1.0}],"__proto__":{"x":1.0}}';
    const repeated: string[] = [];
    expect(parseJson(json, (key) => repeated.push(key))).toEqual(plain(json));
    expect(repeated).toEqual([]);
    expect(jsonAsWritten(parseJson(json))).toBe(json);
  });

  test('nesting is bounded by the memory alone, as that of JSON.parse', () => {
    const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`;
    expect(Array.isArray(parseJson(deep, () => undefined))).toBe(true);
  });

  test.each(['{"a": 1.0', '[1.0,]', '1.0 2', ''])('%j is not JSON', (json) => {
    expect(() => parseJson(json)).toThrow(SyntaxError);
  });
});
