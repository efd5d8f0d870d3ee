// Tests details of the Jinja language; the expected texts are those of Jinja2 3.1.6.
import { TemplateError } from './template-error.js';
import { Template } from './template.js';

const table = [[1, [2, 3]], 3];

test.each([
  ['{{ table.0.1 }}|{{ table.0.1.1 }}|{{ table[0].1.0 }}', '[2, 3]|3|2'],
  ['{{ 1.5 }}|{{ 1.5.5 }}|{{ table.1 }}', '1.5||3'],
  ['{% set in = "abc" %}{% set if = "a" %}{% if if in in %}yes{% endif %}', 'yes'],
  ['{% with in = 2 %}{{ in }}{% endwith %}{% set x, in = 1, 2 %}{{ in }}', '22'],
  ['{% for x, in [[1], [2]] %}{{ x }}{% endfor %}', '12'],
  ['{% set and = joiner("; ") %}{% for x in [1, 2, 3] %}{{ and() }}{{ x }}{% endfor %}', '1; 2; 3'],
  [
    '{% set and = joiner(sep="|") %}{{ and() }}a{{ and() }}b{% set more = joiner() %}{{ more() }}c{{ more() }}d',
    'a|bc, d',
  ],
  [
    '{% set row = cycler("odd", "even") %}{% for x in [1, 2, 3] %}{{ row.next() }} {% endfor %}{{ row.current }}',
    'odd even odd even',
  ],
  ['{% set row = cycler(1, 2) %}{% set _ = row.next() %}{% set _ = row.reset() %}{{ row.next() }}', '1'],
])('%s', (source, expected) => {
  expect(new Template(source).render({ table }).text).toBe(expected);
});

test.each(['number', 'dict', 'nothing', 'missing', 'dict | items'])('a slice of (%s) is refused', (value) => {
  const template = new Template(`{{ (${value})[1:] }}`);
  expect(() => template.render({ number: 5, dict: { a: 1 }, nothing: null })).toThrow(TemplateError);
});
