// The kernels of the normal form, and quotients of polynomials in them.
import type { Polynomial } from './polynomial.js';

export interface Quotient {
  numerator: Polynomial;
  denominator: Polynomial;
}

/** The indeterminates of a polynomial. */
export type Atom =
  | { kind: 'imaginary' }
  /** e^(iπ): its powers are the roots of unity. */
  | { kind: 'unity' }
  | { kind: 'pi' }
  | { kind: 'variable'; name: string }
  | { kind: 'prime'; value: bigint }
  | { kind: 'exponential'; of: Quotient; isReal: boolean }
  /** A polynomial that has fractional powers alone. */
  | { kind: 'root'; of: Polynomial }
  | { kind: 'absolute'; of: Polynomial }
  | { kind: 'function'; name: string; arguments: readonly Quotient[] };

export const IMAGINARY = 0;
export const UNITY = 1;
export const PI = 2;
