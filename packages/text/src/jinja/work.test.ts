import { cpuMilliseconds } from '@bowyer/testing';
import { Template } from './template.js';
import { TemplateLimitError } from './work.js';

const MUCH = 1_000_000_000;
const LONG = "('a' * 4000000)";
const twice = (body: string, count = 100) =>
  `{% set ns = namespace(l=[1], t='a') %}{% for i in range(${count}) %}{% set ${body} %}{% endfor %}`;
const often = (body: string) => `{% for i in range(100000) %}${body}{% endfor %}`;
const around = (count: number, open: string, close: string) => `{{ ${open.repeat(count)}1${close.repeat(count)} }}`;

const [steps, text, deep] = ['more than 500000 steps', 'writes a text of more than', 'within each other more than'];
const bombs: Record<string, readonly [problem: string, templates: readonly string[]]> = {
  'lists and texts that double': [
    `(${steps}|${text})`,
    [
      twice('ns.l = ns.l + ns.l'),
      twice('ns.l = ns.l * 2'),
      `${twice('ns.t = ns.t ~ ns.t')}{{ ns.t }}`,
      `${twice('ns.t = ns.t + ns.t')}`,
      `${twice('ns.t = ns.t | replace("a", "aa")')}`,
      `${twice("ns.t = '%s%s' % (ns.t, ns.t)")}`,
    ],
  ],
  'values with shared parts, which are small but print long': [
    steps,
    [
      `${twice('ns.l = [ns.l, ns.l]', 60)}{{ ns.l }}`,
      `${twice('ns.l = [ns.l, ns.l]', 60)}{{ ns.l | tojson }}`,
      `${twice('ns.l = {"k": ns.l, "m": ns.l}', 60)}{{ ns.l | string }}`,
      `{% set m = namespace(l=[1]) %}${twice('ns.l = [ns.l, ns.l]', 60)}{% for i in range(60) %}{% set m.l = [m.l, m.l] %}{% endfor %}{{ m.l == ns.l }}{{ m.l < ns.l }}`,
    ],
  ],
  'values within values': [
    deep,
    [
      `${twice('ns.l = [ns.l]', 50_000)}{{ ns.l }}`,
      `${twice('ns.l = {"a": ns.l}', 50_000)}{{ ns.l | tojson }}`,
      '{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}',
    ],
  ],
  'one large value': [
    `(${steps}|${text}|at most 100|more than 100000 numbers)`,
    [
      `{{ 'a' * ${MUCH} }}`,
      `{{ [1] * ${MUCH} }}`,
      `{{ (1,) * ${MUCH} }}`,
      `{{ range(${MUCH}) }}`,
      `{{ [1] | batch(${MUCH}, 0) | list }}`,
      `{{ [1] | slice(${MUCH}) | list }}`,
      `{{ 'a' | center(${MUCH}) }}`,
      `{{ 'a'.center(${MUCH}) }}{{ 'a'.ljust(${MUCH}) }}`,
      `{{ 'a'.rjust(${MUCH}) }}`,
      `{{ 'a'.zfill(${MUCH}) }}`,
      `{{ '\\t'.expandtabs(${MUCH}) }}`,
      `{{ 'a\\nb' | indent(${MUCH}) }}`,
      `{{ [1] | tojson(indent=${MUCH}) }}`,
      `{{ '%${MUCH}d' % 3 }}`,
      `{{ '%.${MUCH}f' % 3.5 }}`,
      `{{ '{:.${MUCH}f}'.format(3.5) }}`,
      `{{ ('a' * 100000) | replace('a', 'b' * 100000) }}`,
      `{{ ('a' * 100000).replace('', 'b' * 100000) }}`,
      `{{ range(100000) | join('b' * 100000) }}`,
      `{{ ('b' * 100000).join('a' * 100000) }}`,
    ],
  ],
  'much work': [
    `(${steps}|${text})`,
    [
      often(often('')),
      '{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}',
      '{{ range(100000) | unique | list }}',
      '{{ range(100000) | batch(1) | sum(start=[]) }}',
      "{{ range(100000) | map('string') | map('center', 10000) | list }}",
      `{% set t = ${LONG} %}${often("{{ 'b' in t }}")}`,
      `{% set t = ${LONG} %}${often('{{ t.find("b") }}')}`,
      `{% set t = ${LONG} %}${often('{{ t | length }}')}`,
      `{% set t = ${LONG} %}{% set u = t[:-1] ~ 'b' %}${often('{{ t == u }}')}`,
      `{% set t = ${LONG} %}${often('{{ t }}')}`,
      `{% set d = dict([]) %}${twice("ns.l = dict(d, **{'k': i})", 100_000)}{{ ns.l }}${often('{{ range(100) | list }}')}`,
    ],
  ],
  'calls within calls': [
    deep,
    [
      '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
      '{% macro f() %}{% if 1 %}{% for x in [1] %}{{ ((f() | trim) ~ "a") | trim }}{% endfor %}{% endif %}{% endmacro %}{{ f() }}',
      '{% macro f(x=f()) %}{% endmacro %}{{ f() }}',
      '{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{% endmacro %}{{ f() }}',
      '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}',
    ],
  ],
  'a source that is too deep or too long': [
    `(${deep}|templates have at most)`,
    [
      around(10_000, '(', ')'),
      around(10_000, '[', ']'),
      around(10_000, '{1: ', '}'),
      around(10_000, 'a[', ']'),
      around(10_000, 'not ', ''),
      around(10_000, '-', ''),
      around(10_000, '1 + ', ''),
      around(10_000, '1 if 0 else ', ''),
      around(10_000, '', ' | string'),
      around(10_000, '', ' is defined'),
      `{{ a${'.a'.repeat(10_000)} }}`,
      `{{ a${'[0]'.repeat(10_000)} }}`,
      `{% set ${'('.repeat(10_000)}a${')'.repeat(10_000)} = 1 %}`,
      `${'{% if 1 %}'.repeat(10_000)}${'{% endif %}'.repeat(10_000)}`,
      `${'{% for x in [1] %}'.repeat(10_000)}${'{% endfor %}'.repeat(10_000)}`,
      'a'.repeat(2_000_000),
    ],
  ],
};

const cases = Object.entries(bombs).flatMap(([kind, [problem, templates]]) =>
  templates.map((template) => ({ kind, problem, template, shown: template.slice(0, 90) })),
);

test.each(cases)('$kind: $shown', ({ problem, template }) => {
  const render = () => new Template(template).render({ messages: [{ role: 'user', content: 'Hi' }] });
  // The limit is generous: the rendering takes at most one second on a machine that does nothing else.
  expect(cpuMilliseconds(() => expect(render).toThrow(new RegExp(problem)))).toBeLessThan(6_000);
});

test('what is given may be long: of 2,000 messages each may look at all that follow', () => {
  const messages = Array.from({ length: 2000 }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: `text ${i}`,
  }));
  const template = `{% for m in messages %}{% set ns = namespace(last=true) %}{% for n in messages[loop.index:] %}{% set ns.last = false %}{% break %}{% endfor %}{{ m.content | trim }}{{ '.' if ns.last }}\n{% endfor %}`;
  const { text } = new Template(template).render({ messages });
  expect(text.split('\n')).toHaveLength(2001);
  const content = 'b'.repeat(20_000_000); // longer than any text that a template may create by itself
  const long = new Template('{{ "<" ~ (messages[0].content | trim) ~ ">" }}').render({ messages: [{ content }] });
  expect(long.text).toHaveLength(content.length + 2);
});

test('values that are given too deep are refused in words', () => {
  const tools = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
  expect(() => new Template('').render({ tools })).toThrow(TemplateLimitError);
});

test('sizes that Python refuses, or reads as none', () => {
  const text = (source: string) => new Template(source).render({}).text;
  expect(() => text('{{ [1] | batch(0) | list }}')).toThrow('batch: linecount must be at least 1, not 0');
  expect(() => text('{{ [1] | slice(0) | list }}')).toThrow('slice: slices must be at least 1, not 0');
  expect(text("{{ 'a\\nb' | indent(-3) }}|{{ 'a' * -1 }}|{{ '' * 1000000000 }}|{{ [] * 1000000000 }}")).toBe(
    'a\nb|||[]',
  );
  expect(() => text("{{ '\\ud800' | urlencode }}")).toThrow('urlencode: the text has half of a surrogate pair');
  expect(text("{{ 'aé😀b'[2] }}{{ 'aé😀b'[-2] }}{{ '😀😀'[-1] }}{{ 'ab'[5] }}")).toBe('😀😀😀');
});
