/** The largest number of bits of a numerator or denominator, which limits time and memory for answers such as 9^9^9. */
const MAX_BITS = 4096;

/** The error for an arithmetic result that exceeds `MAX_BITS` or does not exist, such as 1/0. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError';
}

/** A rational number in lowest terms with a positive denominator, so that equal numbers have equal fields. */
export class Fraction {
  private constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  static of(numerator: bigint | number, denominator: bigint | number = 1n): Fraction {
    let [n, d] = [BigInt(numerator), BigInt(denominator)];
    if (d === 0n) throw new NoValueError('division by zero');
    if (d < 0n) [n, d] = [-n, -d];
    if (n >= LIMIT || n <= -LIMIT || d >= LIMIT) throw new NoValueError(`more than ${MAX_BITS} bits`);
    if (d === 1n) return new Fraction(n, d);
    const divisor = gcd(n < 0n ? -n : n, d);
    return divisor === 1n ? new Fraction(n, d) : new Fraction(n / divisor, d / divisor);
  }

  /** Parses a decimal number exactly. @param text digits with at most one point: `12`, `12.5` or `.5` */
  static fromDecimal(text: string): Fraction {
    if (text.length > MAX_BITS / 4) throw new NoValueError(`more than ${MAX_BITS / 4} digits`);
    const [whole, decimals = ''] = text.split('.');
    return Fraction.of(BigInt(whole + decimals || '0'), 10n ** BigInt(decimals.length));
  }

  plus({ numerator, denominator }: Fraction): Fraction {
    return Fraction.of(this.numerator * denominator + numerator * this.denominator, this.denominator * denominator);
  }

  minus(other: Fraction): Fraction {
    return this.plus(other.negative());
  }

  times({ numerator, denominator }: Fraction): Fraction {
    return Fraction.of(this.numerator * numerator, this.denominator * denominator);
  }

  over({ numerator, denominator }: Fraction): Fraction {
    return Fraction.of(this.numerator * denominator, this.denominator * numerator);
  }

  negative(): Fraction {
    return new Fraction(-this.numerator, this.denominator);
  }

  /** Computes a power. @throws {NoValueError} if the result would have more than `MAX_BITS` bits; it is then not computed */
  power(exponent: bigint): Fraction {
    if (exponent < 0n) return Fraction.of(this.denominator, this.numerator).power(-exponent);
    const largest = Math.max(bits(this.numerator), bits(this.denominator));
    // The numbers 0, 1 and −1, and all their powers, have one bit, so that their exponents need no limit.
    if (largest > 1 && BigInt(largest - 1) * exponent > BigInt(MAX_BITS))
      throw new NoValueError(`more than ${MAX_BITS} bits`);
    const small = largest > 1 ? exponent : exponent === 0n ? 0n : 2n - (exponent % 2n);
    return Fraction.of(this.numerator ** small, this.denominator ** small);
  }

  equals({ numerator, denominator }: Fraction): boolean {
    return this.numerator === numerator && this.denominator === denominator;
  }

  isInteger(): boolean {
    return this.denominator === 1n;
  }

  /** Returns the nearest double. If both parts exceed 128 bits, low bits are dropped, since large numbers become Infinity. */
  toNumber(): number {
    const excess = BigInt(Math.max(0, Math.min(bits(this.numerator), bits(this.denominator)) - 128));
    return Number(this.numerator >> excess) / Number(this.denominator >> excess);
  }

  toString(): string {
    return this.isInteger() ? String(this.numerator) : `${this.numerator}/${this.denominator}`;
  }
}

const LIMIT = 1n << BigInt(MAX_BITS);

const bits = (n: bigint) => (n < 0n ? -n : n).toString(16).length * 4 - (n === 0n || n === 1n || n === -1n ? 3 : 0);

/** Returns the greatest common divisor of two non-negative numbers. */
export function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) {
    if (a <= MAX_SAFE && b <= MAX_SAFE) return BigInt(smallGcd(Number(a), Number(b)));
    [a, b] = [b, a % b];
  }
  return a;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the greatest common divisor of non-negative integers that fit into doubles, which is faster than with bigints. */
function smallGcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
