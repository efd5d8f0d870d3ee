import { cpuMilliseconds } from '@bowyer/testing';
import { Fraction } from './fraction.js';
import { parseAnswer } from './verifier/answer-parser.js';
import { parseText } from './verifier/expression-parser.js';
import { findAnswer } from './verifier/find-answer.js';
import { rationalValue } from './verifier/tree.js';
import { parseReference, verify } from './verifier.js';

const isCorrect = (solution: string, reference: string) => verify(solution, reference).isCorrect;

/** A reference, then solutions that state it. */
const right: [string, string[]][] = [
  [
    '12',
    [
      '12',
      '\\boxed{12}',
      'so 5 + 7 = 12.',
      '12.0',
      '$12$',
      '$12',
      '\\$12',
      '12 dollars',
      '+12',
      '1.2e1',
      '12.',
      '\\boxed{\\boxed{12}}',
      '#### 12',
      'The answer is 12.',
      'Answer: 12',
      'answer is 12 apples in total',
      '\\(12\\)',
      '\\boxed{x = 12}',
      '１２',
      '12,',
      '\\boxed 1\n\\boxed{12}',
      '**12**',
    ],
  ],
  ['-3', ['-3', '−3', '–3', '\\boxed{-3}', 'x = −3', '= -3', '\\boxed{−3}']],
  ['0', ['0', '-0', '-0.0', '\\boxed{-0}']],
  [
    '1/2',
    [
      '0.5',
      '.5',
      '1/2',
      '2/4',
      '\\frac{1}{2}',
      '\\dfrac12',
      '\\boxed{\\tfrac{1}{2}}',
      '50%',
      '50\\%',
      '½',
      '\\boxed{0.50}',
      '-1/-2',
      '\\boxed{\\frac{-1}{-2}}',
    ],
  ],
  ['-3/4', ['-0.75', '\\boxed{-\\frac{3}{4}}', '\\boxed{\\frac{-3}{4}}', '-\\frac34', '- 3/4']],
  ['3/2', ['1 1/2', '1.5', '1\\frac{1}{2}', '\\boxed{1 \\frac12}', '1½', '\\boxed{1 1/2}']],
  ['-3/2', ['-1 1/2', '\\boxed{-1\\frac{1}{2}}']],
  ['50%', ['50%', '50', '0.5', '1/2', '50 percent', '\\boxed{50\\%}']],
  [
    '1234567',
    ['1,234,567', '1234567', '1{,}234{,}567', '\\boxed{1,\\!234,\\!567}', '1.234567e6', '1.234567 \\times 10^6'],
  ],
  ['1200', ['1.2e3', '\\boxed{1.2 \\times 10^3}', '\\boxed{1.2×10³}', '$1,200.00', '\\boxed{1.2\\cdot 10^{3}}']],
  ['12 cm', ['12', '12 cm', '12cm', '\\boxed{12\\text{ cm}}', '\\boxed{12\\mathrm{cm}}']],
  ['90^\\circ', ['90', '90°', '\\boxed{90^{\\circ}}', '90 degrees']],
  [
    '2\\sqrt{3}',
    ['\\boxed{\\sqrt{12}}', '\\boxed{2\\sqrt3}', '\\boxed{2 * sqrt(3)}', '\\boxed{6/\\sqrt{3}}', '\\boxed{√12}'],
  ],
  ['\\frac{\\sqrt{3}}{2}', ['\\boxed{\\sqrt{3}/2}', '\\boxed{0.5\\sqrt{3}}', '\\boxed{\\sqrt{\\frac34}}']],
  ['x^2 + 2x + 1', ['\\boxed{(x+1)^2}', '\\boxed{1+x(x+2)}', '\\boxed{(x+1)(1+x)}', '\\boxed{x² + 2x + 1}']],
  ['4\\pi', ['\\boxed{4π}', '\\boxed{4\\pi}', '\\boxed{2*2*pi}']],
  ['(1, -2)', ['\\boxed{(1,-2)}', '\\boxed{\\left( 1, -2 \\right)}', '\\boxed{(1.0, -2.0)}']],
  ['\\{1, 2\\}', ['\\boxed{\\{2,1\\}}', '\\boxed{1, 2}', '\\boxed{x = 1 or x = 2}', '\\boxed{x=2, x=1}']],
  ['[0, 1)', ['\\boxed{[0,1)}', '\\boxed{[0.0, 1.00)}']],
  ['(-1,0)\\cup(1,2)', ['\\boxed{(1,2) \\cup (-1,0)}']],
  ['(-\\infty, 5]', ['\\boxed{(-\\infty,5]}', '\\boxed{x \\in (-∞, 5.0]}']],
  ['4210_{5}', ['\\boxed{4210_5}']],
  ['6 - 5i', ['\\boxed{6-5i}', '\\boxed{-5i + 6}']],
  ['\\left( 3, \\frac{\\pi}{2} \\right)', ['\\boxed{(3, \\pi/2)}', '\\boxed{\\left(3,\\frac{1}{2}\\pi\\right)}']],
  ['\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', ['\\boxed{\\begin{pmatrix}1 \\\\ 2\\end{pmatrix}}']],
  ['p - q', ['\\boxed{p-q}', '\\boxed{-q+p}']],
  ['1 \\pm \\sqrt{2}', ['\\boxed{1+\\sqrt2, 1-\\sqrt2}', '\\boxed{1\\pm\\sqrt{2}}']],
  ['Evelyn', ['\\boxed{\\text{Evelyn}}', 'The answer is Evelyn.', 'evelyn']],
  ['\\text{(B)}', ['\\boxed{B}', '\\boxed{(B)}', '\\boxed{\\textbf{(B)}}']],
  ['Janet has 16 - 3 = 13 eggs.\n#### 13', ['13', '\\boxed{13}']],
  ['thus \\boxed{\\frac{3}{4}}', ['0.75']],
  ['2^{10}', ['1024']],
  ['\\sqrt{\\frac{4}{9}}', ['2/3']],
];

test.each(right)('%s: all ways to write it are right', (reference, solutions) => {
  expect(solutions.filter((solution) => !isCorrect(solution, reference))).toEqual([]);
});

/** A reference, then solutions that state something else or nothing. */
const wrong: [string, string[]][] = [
  // The number is part of another one, or stands elsewhere than in the answer.
  [
    '12',
    [
      '112',
      '121',
      '1.12',
      '12.5',
      '0.12',
      '-12',
      '12/5',
      '5/12',
      'x12',
      'a12b',
      'v1.12',
      '12.12.12',
      '12:30',
      '1,2',
      '12 then 13',
      '12 + 1 = 13',
      '\\boxed{13} is not 12',
      '\\boxed{12',
      '\\boxed{}',
      '',
      'twelve',
      '12%',
      '1 2',
      '\\boxed{1 2}',
      '\\boxed{12, 13}',
      '\\boxed{12x}',
      '\\boxed{12!}',
      '12e5',
      '12,000',
      '12,34',
      '٣12',
      '24/2',
      '5 + 7',
      '\\boxed{5+7}',
      '\\boxed{3*4}',
      '\\boxed{2^2*3}',
      '\\boxed{\\sqrt{144}}',
      '\\boxed{11 2/2}',
      '\\boxed{6*10^0*2}',
    ],
  ],
  ['5', ['1,5', '\\boxed{1,5}', '5-3', '\\boxed{5 or 6}', 'The answer is 6, not 5 or 5/2']],
  ['1.5', ['1,5', '15', '1.5.1', '1.50001']],
  ['1/3', ['0.333', '0.3333333333333333', '33%', '3', '1', '1/3/5']],
  ['1/2', ['1', '2', '\\boxed{1} / 2', '1/20', '11/2', '50']],
  ['50', ['50%', '0.5', '150', '50,000']],
  ['50%', ['5%', '500%', '0.05', '5']],
  ['0', ['0.0000001', '\\boxed{1/0}', '\\boxed{0/0}', 'none']],
  ['12 cm', ['12 m', '\\boxed{12\\text{ kg}}', '12 cm^2', '\\$12']],
  ['2\\sqrt{3}', ['3.4641', '\\boxed{\\sqrt{3}}', '\\boxed{2\\sqrt{5}}', '\\boxed{\\sqrt{-12}}', '23', '2']],
  ['x', ['\\boxed{|x|}', '\\boxed{\\sqrt{x^2}}', '\\boxed{y}', '\\boxed{abs(x)}', '1']],
  ['(1, -2)', ['\\boxed{(-2,1)}', '\\boxed{[1,-2]}', '\\boxed{1,-2}', '\\boxed{(1,-2,0)}', '\\boxed{(1)}', '-2']],
  ['\\{1, 2\\}', ['\\boxed{\\{1,1\\}}', '\\boxed{\\{1\\}}', '\\boxed{12}', '\\boxed{\\{1,2,3\\}}']],
  ['[0, 1)', ['\\boxed{[0,1]}', '\\boxed{(0,1)}', '1']],
  ['Evelyn', ['\\boxed{Evelyn or Bob}', 'not Evelyn', '\\boxed{lyn}', '5']],
  ['(-\\infty, 5]', ['\\boxed{(\\infty,5]}', '\\boxed{(-\\infty,5)}', '5']],
  ['4210_{5}', ['\\boxed{4210}', '\\boxed{4210_6}']],
  ['yes', ['\\boxed{sey}', '\\boxed{no}']],
];

test.each(wrong)('%s: nothing else is right', (reference, solutions) => {
  expect(solutions.filter((solution) => isCorrect(solution, reference))).toEqual([]);
});

test('hostile answers are judged at once, without running anything', () => {
  const hostile = [
    '\\boxed{9^9^9^9}',
    '\\boxed{9^{9^{9^{9}}}}',
    '\\boxed{(9^99)^99^99}',
    '\\boxed{1e999999999}',
    `\\boxed{${'9'.repeat(100_000)}}`,
    `\\boxed{${'('.repeat(5000)}1${')'.repeat(5000)}}`,
    '\\boxed{'.repeat(2000),
    `\\boxed{${'\\frac{1}{'.repeat(100)}1${'}'.repeat(100)}}`,
    `${'1,'.repeat(50_000)}`,
    `${'1 '.repeat(50_000)}`,
    '- '.repeat(20_000),
    `\\boxed{${'1+'.repeat(199)}1}`,
    '\\boxed{process.exit(1)}',
    '\\boxed{constructor.constructor("return 1")()}',
    '\\boxed{sqrt.constructor}',
    '\\boxed{[].map}',
    '\\boxed{__proto__}',
    '\\boxed{this}',
    '\\boxed{a ? b : c}',
    '\\boxed{sqrt()}',
    '\\boxed{0^{-1}}',
  ];
  const spent = cpuMilliseconds(() => expect(hostile.filter((answer) => isCorrect(answer, '3'))).toEqual([]));
  expect(spent).toBeLessThan(4000);
});

test('of several boxes the last counts, and a nested one is its own content', () => {
  expect(findAnswer('\\boxed{1} no, \\boxed{\\frac{1}{2}}')).toEqual({ text: '\\frac{1}{2}', isStated: true });
  expect(findAnswer('\\boxed{x = \\boxed{3}}')).toEqual({ text: '3', isStated: true });
  expect(findAnswer('no number')).toBeNull();
  expect(findAnswer('from 1,234.50 we take $3')).toEqual({ text: '$3', isStated: false });
});

test('a reference without an answer is refused', () => {
  expect(() => parseReference(' ')).toThrow('" " contains no answer');
  expect(() => parseReference('\\boxed{}')).toThrow('contains no answer');
});

test.each([
  ['-2^2', '-4'],
  ['-(2^2)', '-4'],
  ['(-2)^2', '4'],
  ['3*-2^2', '-12'],
  ['2^-2^2', '1/16'],
  ['6/-2*3', '-9'],
  ['2(3+4)5', '70'],
  ['1/2 + 1/3', '5/6'],
  ['3 1/2 - \\frac12', '3'],
  ['2^3^2', '512'],
  ['-1 1/2', '-3/2'],
])('%s is %s', (text, value) => {
  expect(String(rationalValue(parseText(text)!))).toBe(value);
});

test('texts that are not expressions are refused', () => {
  const texts = [
    '',
    '1 2',
    '2 +',
    '(1',
    '1)',
    'word',
    'x!!x y word',
    'a_',
    '1..2',
    '\\foo',
    '"a"',
    'a.b',
    '1,2',
    '\\frac{1}',
    'sqrt',
  ];
  expect(texts.filter((text) => parseText(text) !== null)).toEqual([]);
});

test('fractions: lowest terms, one zero, bounded powers', () => {
  expect(String(Fraction.of(-6, -4))).toBe('3/2');
  expect(Fraction.of(0, -5).equals(Fraction.of(0))).toBe(true);
  expect(String(Fraction.of(2, 3).power(-2n))).toBe('9/4');
  expect(String(Fraction.of(-1).power(10n ** 30n + 1n))).toBe('-1');
  expect(() => Fraction.of(3).power(10n ** 9n)).toThrow('more than 4096 bits');
  expect(() => Fraction.of(0).power(-1n)).toThrow('division by zero');
  expect(Fraction.of(10n ** 400n, 3n * 10n ** 399n).toNumber()).toBeCloseTo(10 / 3);
});

test('a bare list is unordered, brackets make it a tuple or an interval', () => {
  expect(parseAnswer('1, 2')).toMatchObject({ kind: 'list', isOrdered: false });
  expect(parseAnswer('[1, 2)')).toMatchObject({ kind: 'list', isOrdered: true, open: '[', close: ')' });
  expect(parseAnswer('1,234')).toMatchObject({ kind: 'value' });
  expect(parseAnswer('(1,234)')).toMatchObject({ kind: 'list', members: { length: 2 } });
});
