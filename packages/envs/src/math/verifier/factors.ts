// Prime factors, as far as trial division finds them soon.
import { Fraction } from '../fraction.js';
import type { Work } from './work.js';

/** Factors above are found only where nothing else is left; two of them together count as one prime. */
const LARGEST_DIVISOR = 3000n;

export interface Factor {
  prime: bigint;
  exponent: number;
}

/** The prime factors of a positive fraction; those of the denominator have negative exponents. */
export function factorsOf({ numerator, denominator }: Fraction, work: Work): Factor[] {
  const below = integerFactors(denominator, work).map(({ prime, exponent }) => ({ prime, exponent: -exponent }));
  return [...integerFactors(numerator, work), ...below];
}

function integerFactors(n: bigint, work: Work): Factor[] {
  const factors: Factor[] = [];
  for (let divisor = 2n; n > 1n && divisor <= LARGEST_DIVISOR; divisor += divisor === 2n ? 1n : 2n) {
    work.spend(0.2);
    if (divisor * divisor > n) break;
    let exponent = 0;
    for (; n % divisor === 0n; n /= divisor) exponent++;
    if (exponent > 0) factors.push({ prime: divisor, exponent });
  }
  if (n > 1n) factors.push(largeFactor(n));
  return factors;
}

/** The remaining factor may be a power, as 10007². */
function largeFactor(n: bigint): Factor {
  for (const exponent of [2, 3, 5]) {
    const root = integerRoot(n, exponent);
    if (root ** BigInt(exponent) !== n) continue;
    const { prime, exponent: inner } = largeFactor(root);
    return { prime, exponent: exponent * inner };
  }
  return { prime: n, exponent: 1 };
}

/** The largest integer whose power is not above n. */
export function integerRoot(n: bigint, degree: number): bigint {
  if (n < 2n) return n;
  const k = BigInt(degree);
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / degree));
  for (;;) {
    const next = ((k - 1n) * root + n / root ** (k - 1n)) / k;
    if (next >= root) return root;
    root = next;
  }
}
