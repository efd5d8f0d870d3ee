// Describes the JSON numbers that satisfy `minimum`, `maximum` and `multipleOf` as regular expressions over their decimal digits.
import { wholeMatch } from '../ecma-pattern.js';
import {
  anyOf,
  both,
  emptyText,
  literal,
  multipleOf,
  noText,
  not,
  oneAfterTheOther,
  oneOf,
  times,
  type Regular,
} from '../regular.js';
import type { Bound, Facts } from './facts.js';
import { UnsupportedSchemaError } from './unsupported-schema-error.js';

/** A float64 distinguishes all numbers with so many digits, so that reading the text gives the number that was written. */
const DIGITS = 15;

/** The most fractional digits with up to nine integer digits, if the bounds are below that size. */
const SHORT_FRACTION = 6;

const digit = oneOf([[0x30, 0x39]]);
const WHOLE = `(?:0|[1-9]\\d{0,${DIGITS - 1}})`;
const integer = wholeMatch(`-?${WHOLE}`);
const number = wholeMatch(`-?${WHOLE}(?:\\.\\d{1,${DIGITS}})?(?:[eE][+-]?\\d{1,2})?`);
/** Matches numbers without an exponent that have at most as many digits as a float64 distinguishes. */
const plainNumber = wholeMatch(
  `-?(?:${WHOLE}|(?:0|[1-9]\\d{0,${DIGITS - SHORT_FRACTION - 1}})\\.\\d{1,${SHORT_FRACTION}}|0\\.\\d{1,${DIGITS}})`,
);

/** `isInteger`: only integers without a decimal point. @throws {UnsupportedSchemaError} */
export function numberExpression(facts: Facts, isInteger: boolean): Regular {
  const { minimum, maximum } = withNumberFormats(facts);
  const { multiples, notMultiples, excluded } = facts;
  const numbers = excluded.filter((value) => typeof value === 'number');
  const parts = [
    ...multiples.map(multipleExpression),
    ...notMultiples.map((multiple) => not(multipleExpression(multiple))),
    ...numbers.map((value) => not(equal(value))),
  ];
  const whole = isInteger || multiples.some(([of]) => Number.isInteger(of));
  if (minimum.at > -Infinity || maximum.at < Infinity) {
    const below = oneAfterTheOther(literal('-'), atLeastZero(negative(maximum), negative(minimum), whole, true));
    const within = anyOf(atLeastZero(minimum, maximum, whole), below);
    if (parts.length === 0) return within;
    parts.push(within);
  }
  if (parts.length === 0) return whole ? integer : number;
  return both(whole ? integer : plainNumber, ...parts);
}

/** Makes the expression for the texts, without an exponent, that equal a number. */
function equal(value: number): Regular {
  const { whole, fraction } = decimals(Math.abs(value));
  const zeros = times(literal('0'), 0);
  const point = oneAfterTheOther(literal(`.${fraction}`), fraction === '' ? times(literal('0'), 1) : zeros);
  const sign = value < 0 ? literal('-') : value === 0 ? times(literal('-'), 0, 1) : emptyText;
  return oneAfterTheOther(sign, literal(whole), fraction === '' ? times(point, 0, 1) : point);
}

function withNumberFormats({ minimum, maximum, formats }: Facts): Pick<Facts, 'minimum' | 'maximum'> {
  const bits = formats.some(([format]) => format === 'int32') ? 31 : 0;
  if (bits === 0) return { minimum, maximum };
  const [least, most] = [-(2 ** bits), 2 ** bits - 1];
  return {
    minimum: minimum.at < least ? { at: least, isExclusive: false } : minimum,
    maximum: maximum.at > most ? { at: most, isExclusive: false } : maximum,
  };
}

const negative = ({ at, isExclusive }: Bound): Bound => ({ at: -at, isExclusive });

/** The largest divisor of `multipleOf`, apart from a power of ten, that is supported. */
const MOST_MULTIPLE = 1_000;

function multipleExpression([of, path]: Facts['multiples'][number]): Regular {
  const { whole, fraction } = decimals(of);
  const digits = Number(whole + fraction);
  if (digits > MOST_MULTIPLE || fraction.length > DIGITS)
    throw new UnsupportedSchemaError(
      'multipleOf',
      path,
      `is ${of}; only integers from 1 to ${MOST_MULTIPLE}, and these divided by a power of ten, are supported`,
    );
  return oneAfterTheOther(times(literal('-'), 0, 1), multipleOf(digits, fraction.length));
}

/** Returns whether a number is a multiple of another one, both taken as the decimals in which they are written. */
export function isMultiple(value: number, of: number): boolean {
  const [own, other] = [decimals(Math.abs(value)), decimals(of)];
  const places = Math.max(own.fraction.length, other.fraction.length);
  const scaled = ({ whole, fraction }: Decimals) => BigInt(whole + fraction.padEnd(places, '0'));
  return scaled(own) % scaled(other) === 0n;
}

/** Non-negative numbers between two bounds. `isPositive`: 0 is excluded. */
function atLeastZero(minimum: Bound, maximum: Bound, isWhole: boolean, isPositive = false): Regular {
  if (maximum.at < 0 || (maximum.at === 0 && (maximum.isExclusive || isPositive))) return noText;
  const parts = [plain(isWhole, Math.max(Math.abs(finite(minimum.at)), Math.abs(finite(maximum.at))))];
  if (minimum.at > 0 || (minimum.at === 0 && minimum.isExclusive) || isPositive) {
    const isExclusive = minimum.at > 0 ? minimum.isExclusive : true;
    parts.push(compared(decimals(Math.max(minimum.at, 0)), isExclusive, isWhole, 'above'));
  }
  if (maximum.at < Infinity) parts.push(compared(decimals(maximum.at), maximum.isExclusive, isWhole, 'below'));
  return both(...parts);
}

const finite = (x: number): number => (Number.isFinite(x) ? x : 0);

/** Numbers without an exponent, with no more digits than a float64 distinguishes at the size of the bounds. */
function plain(isWhole: boolean, size: number): Regular {
  const whole = Math.max(decimals(size).whole.length, DIGITS);
  const fraction = Math.max(0, DIGITS - decimals(size).whole.length);
  const alone = `(?:0|[1-9]\\d{0,${whole - 1}})`;
  if (isWhole) return wholeMatch(alone);
  if (fraction >= SHORT_FRACTION) return wholeMatch(`${alone}(?:\\.\\d{1,${fraction}})?`);
  // Below a large bound, numbers with few integer digits can have more fractional digits.
  const short = `(?:0|[1-9]\\d{0,${DIGITS - SHORT_FRACTION - 1}})\\.\\d{1,${SHORT_FRACTION}}`;
  return wholeMatch(`${alone}|${short}`);
}

/** The decimal digits of a number. */
interface Decimals {
  /** The integer digits: `0`, or digits without leading zeros. */
  whole: string;
  /** The digits after the decimal point, without trailing zeros. */
  fraction: string;
}

function decimals(x: number): Decimals {
  const [mantissa, exponent = '0'] = x.toExponential().split('e');
  const [first, further = ''] = mantissa.split('.');
  const digits = first + further;
  const point = 1 + Number(exponent);
  const whole = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const fraction = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  return { whole, fraction: fraction.replace(/0+$/, '') };
}

type Side = 'above' | 'below';

/**
 * Decimal texts above or below a bound (on `side`). A second expression, which must match too, ensures that the text is a number.
 */
function compared({ whole, fraction }: Decimals, isExclusive: boolean, isWhole: boolean, side: Side): Regular {
  const any = isWhole ? emptyText : times(oneAfterTheOther(literal('.'), times(digit, 1)), 0, 1);
  const byLength =
    side === 'above' ? times(digit, whole.length + 1) : whole.length > 1 ? times(digit, 1, whole.length - 1) : noText;
  const equal = oneAfterTheOther(literal(whole), afterEqualWhole(fraction, isExclusive, isWhole, side));
  return anyOf(oneAfterTheOther(anyOf(byLength, differing(whole, side)), any), equal);
}

/** Integers with as many digits as the bound, which share its first digits before a higher or lower one. */
function differing(digits: string, side: Side): Regular {
  return anyOf(
    ...[...digits].map((own, i) =>
      oneAfterTheOther(
        literal(digits.slice(0, i)),
        beside(own, side),
        times(digit, digits.length - i - 1, digits.length - i - 1),
      ),
    ),
  );
}

function beside(own: string, side: Side): Regular {
  const [from, to] = side === 'above' ? [own.charCodeAt(0) + 1, 0x39] : [0x30, own.charCodeAt(0) - 1];
  return from <= to ? oneOf([[from, to]]) : noText;
}

/** Makes the expression for the text after the integer digits, if these equal the bound's. */
function afterEqualWhole(fraction: string, isExclusive: boolean, isWhole: boolean, side: Side): Regular {
  const none =
    side === 'below'
      ? fraction !== '' || !isExclusive
        ? emptyText
        : noText
      : fraction === '' && !isExclusive
        ? emptyText
        : noText;
  if (isWhole) return none;
  const zeros = times(literal('0'), 0);
  const parts = [...fraction].map((own, i) =>
    oneAfterTheOther(literal(fraction.slice(0, i)), beside(own, side), times(digit, 0)),
  );
  const whole = literal(fraction);
  if (side === 'above') {
    // After fractional digits that equal the bound's, any digits may follow; if it is exclusive, one must not be zero.
    const further = isExclusive ? oneAfterTheOther(zeros, oneOf([[0x31, 0x39]]), times(digit, 0)) : times(digit, 0);
    parts.push(oneAfterTheOther(whole, further));
  } else {
    // A fraction that is a proper prefix of the bound's digits is below the bound.
    for (let i = 1; i < fraction.length; i++) parts.push(literal(fraction.slice(0, i)));
    if (!isExclusive) parts.push(oneAfterTheOther(whole, zeros));
  }
  const decimal = both(anyOf(...parts), times(digit, 1));
  return anyOf(none, oneAfterTheOther(literal('.'), decimal));
}
