// Values of mathematical expressions, exact where they are rational. `jsep` parses; only the nodes that are listed here are
// evaluated, nothing of an answer is ever run as code, and every number has a bounded size.
import jsep from 'jsep';
import { Fraction, NoValueError } from './fraction.js';
import { expressionText, plainText } from './latex.js';

const MAX_CHARACTERS = 400;

/** Both values may differ by so much of their size: enough for rounding, and less than ten correct digits. */
const TOLERANCE = 1e-9;

/** Where expressions with variables are compared: fixed, of both signs, without relations between them. */
const POINTS = [0.7390851, -1.3247179, 2.2360898, -0.5671433, 1.8392867, -2.6854521, 3.3598857, -0.9159656];

/** An expression that can be compared with others. */
export class Expression {
  private constructor(
    private readonly tree: jsep.Expression,
    /** Null where the value is irrational or depends on a variable. */
    readonly exact: Fraction | null,
  ) {}

  /** @returns null where the text, LaTeX or plain, is no expression, has no value, or is too long */
  static parse(text: string): Expression | null {
    if (text.length > MAX_CHARACTERS) return null;
    const plain = expressionText(plainText(text));
    if (plain === null || plain === '') return null;
    try {
      const tree = jsep(plain);
      return new Expression(tree, exactOrNull(tree));
    } catch (error) {
      if (error instanceof NoValueError || isParseError(error)) return null;
      throw error;
    }
  }

  /**
   * Whether it is written as a number: `-3`, `3/4`, `1 1/2` or `1.2 * 10**3`. Not so a sum, a product, or a division that gives an
   * integer: those are problems rather than answers.
   */
  get isNumber(): boolean {
    return this.exact !== null && isNumeral(this.tree, this.exact.isInteger());
  }

  /** Rational values exactly; others at eight points, to nine digits. */
  equals(other: Expression): boolean {
    if (this.exact && other.exact) return this.exact.equals(other.exact);
    let compared = 0;
    for (let point = 0; point < POINTS.length; point++) {
      const [a, b] = [this.at(point), other.at(point)];
      if (!Number.isFinite(a) && !Number.isFinite(b)) continue; // outside the domain of both
      if (!(Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b)))) return false;
      compared++;
    }
    return compared * 2 >= POINTS.length;
  }

  private at(point: number): number {
    return approximate(
      this.tree,
      (name) => POINTS[(point + 3 * name.charCodeAt(0)) % POINTS.length] + name.charCodeAt(0) / 97,
    );
  }
}

function isNumeral(tree: jsep.Expression, isInteger: boolean): boolean {
  const node = tree as jsep.CoreExpression;
  if (node.type === 'Literal') return true;
  if (node.type === 'UnaryExpression') return isNumeral((node as jsep.UnaryExpression).argument, isInteger);
  if (node.type === 'CallExpression') {
    const { callee, arguments: args } = node as jsep.CallExpression;
    const { name } = callee as jsep.Identifier;
    return name === 'mixed' ? !isInteger : name === 'group' && isNumeral(args[0], isInteger);
  }
  if (node.type !== 'BinaryExpression') return false;
  const { operator, left, right } = node as jsep.BinaryExpression;
  if (operator === '/') return !isInteger && isNumeral(left, true) && isNumeral(right, true);
  return operator === '*' && left.type === 'Literal' && isPowerOfTen(right as jsep.CoreExpression);
}

/** `10**3` or `10**-3`. */
function isPowerOfTen(tree: jsep.Expression): boolean {
  const { operator, left, right } = tree as jsep.BinaryExpression;
  return operator === '**' && (left as jsep.Literal).raw === '10' && isNumeral(right, true);
}

const isParseError = (error: unknown) => error instanceof Error && 'index' in error && 'description' in error;

/** Not a rational number, though it may have a value. */
class IrrationalError extends Error {}

function exactOrNull(tree: jsep.Expression): Fraction | null {
  try {
    return exact(tree);
  } catch (error) {
    if (error instanceof IrrationalError) return null;
    throw error;
  }
}

function exact(tree: jsep.Expression): Fraction {
  const node = tree as jsep.CoreExpression;
  switch (node.type) {
    case 'Literal':
      return literal(node);
    case 'UnaryExpression':
      return node.operator === '-' ? exact(node.argument).negative() : exact(node.argument);
    case 'BinaryExpression':
      return exactOperation(node);
    case 'CallExpression':
      return exactCall(node);
    case 'Identifier':
      throw new IrrationalError();
    default:
      throw new NoValueError(`not part of an expression: ${node.type}`);
  }
}

function literal({ raw }: jsep.Literal): Fraction {
  const match = /^(\d*\.?\d*)(?:e([+-]?\d{1,4}))?$/i.exec(raw);
  if (!match || match[1] === '' || match[1] === '.') throw new NoValueError(`not a number: ${raw}`);
  return Fraction.fromDecimal(match[1]).times(Fraction.of(10).power(BigInt(match[2] ?? 0)));
}

function exactOperation(node: jsep.BinaryExpression): Fraction {
  const negated = negatedPower(node);
  if (negated) return exact(negated).negative();
  const [left, right] = [exact(node.left), exact(node.right)];
  switch (node.operator) {
    case '+':
      return left.plus(right);
    case '-':
      return left.minus(right);
    case '*':
      return left.times(right);
    case '/':
      return left.over(right);
    case '**':
      if (!right.isInteger()) throw new IrrationalError();
      return left.power(right.numerator);
    default:
      throw new NoValueError(`not an operator: ${node.operator}`);
  }
}

function exactCall({ callee, arguments: args }: jsep.CallExpression): Fraction {
  const { name } = callee as jsep.Identifier;
  if (name === 'group') return exact(only(args));
  if (name === 'mixed') {
    const [whole, numerator, denominator] = args.map(exact);
    return whole.plus(numerator.over(denominator));
  }
  if (name === 'abs') {
    const value = exact(only(args));
    return value.numerator < 0n ? value.negative() : value;
  }
  if (name === 'sqrt') {
    const { numerator, denominator } = exact(only(args));
    const [n, d] = [integerRoot(numerator), integerRoot(denominator)];
    if (n !== null && d !== null) return Fraction.of(n, d);
  }
  throw new IrrationalError();
}

const only = (args: readonly jsep.Expression[]): jsep.Expression => {
  if (args.length !== 1) throw new NoValueError('a function of one argument');
  return args[0];
};

/** √n where it is an integer, by Newton's method; else null. */
function integerRoot(n: bigint): bigint | null {
  if (n < 0n) return null;
  if (n < 2n) return n;
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return root * root === n ? root : null;
}

/** jsep reads −2**2 as (−2)**2. Parentheses of the text are calls of `group`, so a bare minus before a power negates the power. */
function negatedPower({ operator, left, right }: jsep.BinaryExpression): jsep.BinaryExpression | null {
  if (operator !== '**' || left.type !== 'UnaryExpression') return null;
  const { operator: sign, argument } = left as jsep.UnaryExpression;
  return sign === '-' ? { type: 'BinaryExpression', operator, left: argument, right } : null;
}

const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

const functions: Readonly<Record<string, (...values: number[]) => number>> = {
  group: (x) => x,
  mixed: (whole, numerator, denominator) => whole + numerator / denominator,
  abs: Math.abs,
  sqrt: Math.sqrt,
  root: (x, n) => (x < 0 && n % 2 === 1 ? -((-x) ** (1 / n)) : x ** (1 / n)),
  exp: Math.exp,
  ln: Math.log,
  log: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
};

/** The value in double precision; NaN or infinite outside the domain. */
function approximate(tree: jsep.Expression, variable: (name: string) => number): number {
  const node = tree as jsep.CoreExpression;
  const value = (inner: jsep.Expression) => approximate(inner, variable);
  switch (node.type) {
    case 'Literal':
      return literal(node).toNumber();
    case 'Identifier':
      return constants[node.name] ?? variable(node.name);
    case 'UnaryExpression':
      return node.operator === '-' ? -value(node.argument) : value(node.argument);
    case 'CallExpression':
      return functions[(node.callee as jsep.Identifier).name](...node.arguments.map(value));
    case 'BinaryExpression': {
      const negated = negatedPower(node);
      if (negated) return -value(negated);
      return operate(node.operator, value(node.left), value(node.right));
    }
    default:
      return NaN;
  }
}

function operate(operator: string, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '/') return a / b;
  return operator === '**' ? a ** b : NaN;
}
