// Tests that expressions rewritten by identities equal the original, and that those with one changed constant do not. The
// rewritten text is made here, by rules of algebra and trigonometry that share nothing with the verifier. EXPRESSIONS is their
// number, 150 by default and 400 in the long form.
import { Rng } from '@bowyer/core';
import { isExhaustive } from '@bowyer/testing';
import { Fraction } from '../fraction.js';
import { verify } from '../verifier.js';

const COUNT = Number(process.env.EXPRESSIONS ?? (isExhaustive() ? 400 : 150));

type Expression =
  | { is: 'number'; value: Fraction }
  | { is: 'variable'; name: 'x' | 'y' }
  | { [Is in Operator]: { is: Is; of: [Expression, Expression] } }[Operator]
  | { is: 'power'; of: [Expression]; exponent: number }
  | { [Is in Name]: { is: Is; of: [Expression] } }[Name];

type Operator = '+' | '-' | '*' | '/';

type Name = 'sqrt' | 'ln' | 'sin' | 'cos' | 'tan' | 'exp';

const number = (numerator: number | Fraction, denominator = 1): Expression => ({
  is: 'number',
  value: typeof numerator === 'number' ? Fraction.of(numerator, denominator) : numerator,
});
const both = (is: Operator, left: Expression, right: Expression): Expression => ({
  is,
  of: [left, right],
});
const plus = (left: Expression, right: Expression) => both('+', left, right);
const minus = (left: Expression, right: Expression) => both('-', left, right);
const times = (left: Expression, right: Expression) => both('*', left, right);
const over = (left: Expression, right: Expression) => both('/', left, right);
const call = (is: Name, of: Expression): Expression => ({ is, of: [of] });
const power = (base: Expression, exponent: number): Expression => ({ is: 'power', of: [base], exponent });
const x: Expression = { is: 'variable', name: 'x' };
const y: Expression = { is: 'variable', name: 'y' };

/** Families of expressions: rational functions, which are evaluated exactly, and those with roots, logarithms or angles. */
const families = ['rational', 'roots', 'logarithms', 'angles', 'exponentials'] as const;
type Family = (typeof families)[number];

const integer = (rng: Rng) => number(rng.integer(1, 9));
const fraction = (rng: Rng) => number(rng.integer(1, 9), rng.integer(2, 7));
const linear = (rng: Rng) => plus(times(integer(rng), rng.choice([x, y])), integer(rng));
/** Returns an expression that is positive for all x and y. */
const positive = (rng: Rng) => plus(power(rng.choice([x, y]), 2), integer(rng));

function leaf(rng: Rng, family: Family): Expression {
  const kinds: Readonly<Record<Family, () => Expression>> = {
    rational: () => over(integer(rng), plus(power(x, 2), integer(rng))),
    roots: () =>
      call('sqrt', rng.choice([integer(rng), fraction(rng), positive(rng), times(number(4), positive(rng))])),
    logarithms: () =>
      call('ln', rng.choice([integer(rng), fraction(rng), positive(rng), times(integer(rng), positive(rng))])),
    angles: () =>
      call(rng.choice(['sin', 'cos', 'tan']), rng.choice([x, times(number(2), x), plus(x, y), minus(x, y)])),
    exponentials: () => call('exp', rng.choice([x, plus(x, y), times(number(2), x), minus(x, integer(rng))])),
  };
  return rng.choice([
    () => integer(rng),
    () => fraction(rng),
    () => x,
    () => y,
    () => linear(rng),
    kinds[family],
    kinds[family],
  ])();
}

function generated(rng: Rng, family: Family, depth: number): Expression {
  if (depth === 0) return leaf(rng, family);
  const part = () => generated(rng, family, depth - 1);
  return rng.choice([
    () => plus(part(), part()),
    () => minus(part(), part()),
    () => times(part(), part()),
    () => over(part(), positive(rng)),
    () => power(part(), rng.integer(2, 3)),
  ])();
}

/** Rewrites an expression; null where the rule does not apply. */
type Rule = (e: Expression, rng: Rng) => Expression | null;

const isSum = (e: Expression): e is Expression & { is: '+' } => e.is === '+';
const isSame = (a: Expression, b: Expression) => latex(a) === latex(b);

const rules: readonly Rule[] = [
  // This rule uses a + b = b + a, ab = ba, a − b = −b + a = −(b − a).
  (e) => (e.is === '+' || e.is === '*' ? both(e.is, e.of[1], e.of[0]) : null),
  (e) => (e.is === '-' ? plus(times(number(-1), e.of[1]), e.of[0]) : null),
  (e) => (e.is === '-' ? times(number(-1), minus(e.of[1], e.of[0])) : null),
  // This rule uses (a + b) + c = a + (b + c), (ab)c = a(bc).
  (e) => (e.is === '+' && isSum(e.of[0]) ? plus(e.of[0].of[0], plus(e.of[0].of[1], e.of[1])) : null),
  (e) => (e.is === '*' && e.of[0].is === '*' ? times(e.of[0].of[0], times(e.of[0].of[1], e.of[1])) : null),
  // This rule uses a(b + c) = ab + ac, (a + b)/c = a/c + b/c, a/b = (1/b)a = ka/(kb).
  (e) => (e.is === '*' && isSum(e.of[1]) ? plus(times(e.of[0], e.of[1].of[0]), times(e.of[0], e.of[1].of[1])) : null),
  (e) => (e.is === '/' && isSum(e.of[0]) ? plus(over(e.of[0].of[0], e.of[1]), over(e.of[0].of[1], e.of[1])) : null),
  (e) => (e.is === '/' ? times(over(number(1), e.of[1]), e.of[0]) : null),
  (e, rng) => {
    const factor = rng.choice([integer(rng), positive(rng)]);
    return e.is === '/' ? over(times(factor, e.of[0]), times(e.of[1], factor)) : null;
  },
  // This rule uses a² = aa, a³ = a²a, (a + b)² = a² + 2ab + b², (ab)ⁿ = aⁿbⁿ.
  (e) => (e.is === 'power' ? times(e.exponent === 2 ? e.of[0] : power(e.of[0], e.exponent - 1), e.of[0]) : null),
  (e) => (e.is === 'power' && e.exponent === 2 && isSum(e.of[0]) ? squareOf(e.of[0].of) : null),
  (e) =>
    e.is === 'power' && e.of[0].is === '*'
      ? times(power(e.of[0].of[0], e.exponent), power(e.of[0].of[1], e.exponent))
      : null,
  // This rule uses n = (n − k) + k, n = kn/k.
  (e, rng) => {
    const k = rng.integer(1, 5);
    return e.is === 'number' ? plus(number(e.value.minus(Fraction.of(k))), number(k)) : null;
  },
  (e, rng) => {
    const k = rng.integer(2, 5);
    return e.is === 'number' ? over(number(e.value.times(Fraction.of(k))), number(k)) : null;
  },
  // This rule uses √(ab) = √a √b, √a = √(9a)/3, 1/√a = √a/a, √a √a = a, all for a > 0.
  (e) =>
    e.is === 'sqrt' && e.of[0].is === '*' ? times(call('sqrt', e.of[0].of[0]), call('sqrt', e.of[0].of[1])) : null,
  (e) => (e.is === 'sqrt' ? over(call('sqrt', times(number(9), e.of[0])), number(3)) : null),
  (e) => (e.is === 'sqrt' ? over(e.of[0], e) : null),
  // This rule uses ln(ab) = ln a + ln b, ln a = ln(a²)/2, ln a = −ln(1/a), for a > 0.
  (e) => (e.is === 'ln' && e.of[0].is === '*' ? plus(call('ln', e.of[0].of[0]), call('ln', e.of[0].of[1])) : null),
  (e) => (e.is === 'ln' ? over(call('ln', power(e.of[0], 2)), number(2)) : null),
  (e) => (e.is === 'ln' ? times(number(-1), call('ln', over(number(1), e.of[0]))) : null),
  // This rule uses the formulas of sin 2u, cos 2u, sin(u ± v), cos(u ± v), tan u, and sin²u + cos²u = 1.
  (e) =>
    e.is === 'sin' && isDouble(e.of[0])
      ? times(number(2), times(call('sin', e.of[0].of[1]), call('cos', e.of[0].of[1])))
      : null,
  (e) =>
    e.is === 'cos' && isDouble(e.of[0])
      ? minus(number(1), times(number(2), power(call('sin', e.of[0].of[1]), 2)))
      : null,
  (e) => (e.is === 'sin' && (e.of[0].is === '+' || e.of[0].is === '-') ? sineOfSum(e.of[0]) : null),
  (e) => (e.is === 'cos' && (e.of[0].is === '+' || e.of[0].is === '-') ? cosineOfSum(e.of[0]) : null),
  (e) => (e.is === 'tan' ? over(call('sin', e.of[0]), call('cos', e.of[0])) : null),
  (e) =>
    e.is === 'power' && e.exponent === 2 && e.of[0].is === 'sin'
      ? minus(number(1), power(call('cos', e.of[0].of[0]), 2))
      : null,
  // This rule uses e^(u + v) = e^u e^v, e^(u − v) = e^u/e^v, e^(2u) = (e^u)².
  (e) => (e.is === 'exp' && isSum(e.of[0]) ? times(call('exp', e.of[0].of[0]), call('exp', e.of[0].of[1])) : null),
  (e) => (e.is === 'exp' && e.of[0].is === '-' ? over(call('exp', e.of[0].of[0]), call('exp', e.of[0].of[1])) : null),
  (e) => (e.is === 'exp' && isDouble(e.of[0]) ? power(call('exp', e.of[0].of[1]), 2) : null),
];

const isDouble = (e: Expression): e is Expression & { is: '*' } =>
  e.is === '*' && e.of[0].is === 'number' && e.of[0].value.equals(Fraction.of(2));

const squareOf = ([a, b]: [Expression, Expression]) =>
  plus(plus(power(a, 2), times(number(2), times(a, b))), power(b, 2));

function sineOfSum({ is, of: [u, v] }: Expression & { is: '+' | '-' }): Expression {
  return both(is as '+' | '-', times(call('sin', u), call('cos', v)), times(call('cos', u), call('sin', v)));
}

function cosineOfSum({ is, of: [u, v] }: Expression & { is: '+' | '-' }): Expression {
  return both(is === '+' ? '-' : '+', times(call('cos', u), call('cos', v)), times(call('sin', u), call('sin', v)));
}

const partsOf = (e: Expression): Expression[] => ('of' in e ? [...e.of] : []);

/** Returns the expression with one of its parts replaced. */
function replaced(e: Expression, at: Expression, by: Expression): Expression {
  if (e === at) return by;
  return 'of' in e ? ({ ...e, of: e.of.map((part) => replaced(part, at, by)) } as Expression) : e;
}

const nodesOf = (e: Expression): Expression[] => [e, ...partsOf(e).flatMap(nodesOf)];

function rewritten(e: Expression, rng: Rng): Expression {
  for (let applied = 0, tries = 0; applied < 6 && tries < 100; tries++) {
    const node = rng.choice(nodesOf(e));
    const other = rng.choice(rules)(node, rng);
    if (other === null || isSame(other, node)) continue;
    e = replaced(e, node, other);
    applied++;
  }
  return e;
}

/** Writes the expression in LaTeX, or in plain text where the random numbers say so. */
function latex(e: Expression, rng?: Rng): string {
  const [a, b] = partsOf(e).map((part) => latex(part, rng));
  const isPlain = rng !== undefined && rng.uniform() < 0.2;
  switch (e.is) {
    case 'number':
      return e.value.numerator < 0n
        ? `(${e.value})`
        : e.value.isInteger() || isPlain
          ? `{${e.value}}`
          : fractionText(e.value);
    case 'variable':
      return e.name;
    case '+':
    case '-':
      return `(${a}${e.is}${b})`;
    case '*':
      return isPlain ? `${a}*${b}` : `${a} \\cdot ${b}`;
    case '/':
      return isPlain ? `((${a})/(${b}))` : `\\frac{${a}}{${b}}`;
    case 'power':
      return `\\left(${a}\\right)^{${e.exponent}}`;
    case 'sqrt':
      return isPlain ? `(${a})^{1/2}` : `\\sqrt{${a}}`;
    case 'exp':
      return isPlain ? `exp(${a})` : `e^{${a}}`;
    default:
      return `\\${e.is}\\left(${a}\\right)`;
  }
}

const fractionText = ({ numerator, denominator }: Fraction) => `\\frac{${numerator}}{${denominator}}`;

/** Computes an exact value at a rational point; null where it has none. */
function exactly(e: Expression, at: Readonly<Record<'x' | 'y', Fraction>>): Fraction | null {
  if (e.is === 'number') return e.value;
  if (e.is === 'variable') return at[e.name];
  const [a, b] = partsOf(e).map((part) => exactly(part, at));
  if (a === null || b === null) return null;
  if (e.is === 'power') return a.power(BigInt(e.exponent));
  if (e.is === '+') return a.plus(b);
  if (e.is === '-') return a.minus(b);
  if (e.is === '*') return a.times(b);
  return e.is === '/' ? a.over(b) : null;
}

const calculations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  sqrt: Math.sqrt,
  ln: Math.log,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
};

function nearly(e: Expression, at: Readonly<Record<'x' | 'y', number>>): number {
  if (e.is === 'number') return e.value.toNumber();
  if (e.is === 'variable') return at[e.name];
  const [a, b] = partsOf(e).map((part) => nearly(part, at));
  return e.is === 'power' ? a ** e.exponent : calculations[e.is](a, b);
}

/** Returns whether two expressions certainly differ: exactly at one rational point, or by a thousandth at a point where they are of moderate size. */
function differ(a: Expression, b: Expression): boolean {
  const point = { x: Fraction.of(17, 11), y: Fraction.of(-5, 13) };
  const [left, right] = [exactly(a, point), exactly(b, point)];
  if (left !== null && right !== null) return !left.equals(right);
  const [u, v] = [a, b].map((e) => nearly(e, { x: 0.7390851, y: 0.3130413 }));
  return Math.abs(u) < 1e6 && Math.abs(u - v) > 1e-3 * Math.max(1, Math.abs(u));
}

/** Returns the expression with one changed constant; null where that changes nothing. */
function altered(e: Expression, rng: Rng): Expression | null {
  const numbers = nodesOf(e).filter((node) => node.is === 'number');
  if (numbers.length === 0) return null;
  const chosen = rng.choice(numbers);
  const other = replaced(e, chosen, number(chosen.value.plus(Fraction.of(rng.integer(1, 3)))));
  return differ(e, other) ? other : null;
}

interface Sample {
  reference: string;
  equal: string;
  unequal: string | null;
}

function sample(rng: Rng, family: Family): Sample {
  // The reference has a variable, since only numerals are accepted for a number.
  const e = plus(generated(rng, family, 2), x);
  const other = rewritten(e, rng);
  const changed = altered(other, rng);
  return { reference: latex(e, rng), equal: latex(other, rng), unequal: changed && latex(changed, rng) };
}

const isCorrect = (answer: string, reference: string) => verify(`\\boxed{${answer}}`, reference).isCorrect;

test.each(families)(
  '%s: rewritten by identities they are equal, with another constant they are not',
  (family) => {
    const rng = Rng.forPurpose(7, `identities ${family}`);
    const samples = Array.from({ length: Math.ceil(COUNT / families.length) }, () => sample(rng, family));
    const changed = samples.filter(({ unequal }) => unequal !== null);
    expect(samples.filter(({ reference, equal }) => !isCorrect(equal, reference))).toEqual([]);
    expect(changed.filter(({ reference, unequal }) => isCorrect(unequal!, reference))).toEqual([]);
    // Most changed constants change the value.
    expect(changed.length).toBeGreaterThan(0.7 * samples.length);
  },
  600_000,
);
