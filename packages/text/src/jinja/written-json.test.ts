// JSON in a dialogue prints as it was written.
import { Template } from './template.js';
import { writtenJson } from './written-json.js';

const render = (source: string, text: string) => new Template(source).render({ a: writtenJson(text) }).text;

test.each([
  '{"x": 1.0, "y":1e5,"x": 12345678901234567890}',
  '{ "é": "\\u00e9\\/", "n": [ -0, [], {} ], "t": true, "z": null }',
  '[1.50, "a"]',
  '{"a": 1', // broken
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

test('a template that lays JSON out again writes the values', () => {
  expect(render('{{ a | tojson(indent=1) }}', '{"x":1.0,"y":[]}')).toBe('{\n "x": 1.0,\n "y": []\n}');
});

test('a text that is not an object has no members', () => {
  expect(render('{{ a | length }}{{ a.x is defined }}', '{"x": ')).toBe('0False');
});

test.each([
  '[' + '1,'.repeat(20_000) + '{"x": [1.0]}]',
  `{${Array.from({ length: 20_000 }, (_, i) => `"${i}":1.0`).join(',')}}`,
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
