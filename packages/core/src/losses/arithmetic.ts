/**
 * The operations of the formulas of losses' slopes, which are evaluated with numbers on the host and with graph values in a
 * training graph, whose builder has these methods. `T` is a number or a graph value, `B` the result of a comparison.
 */
export interface Arithmetic<T, B> {
  add(a: T | number, b: T | number): T;
  sub(a: T | number, b: T | number): T;
  mul(a: T | number, b: T | number): T;
  neg(x: T): T;
  exp(x: T): T;
  square(x: T): T;
  clip(x: T, low: T | number, high: T | number): T;
  greater(a: T, b: T | number): B;
  greaterOrEqual(a: T, b: T | number): B;
  lessOrEqual(a: T, b: T | number): B;
  and(a: B, b: B): B;
  or(a: B, b: B): B;
  where(condition: B, a: T | number, b: T | number): T;
}

export const hostArithmetic: Arithmetic<number, boolean> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  neg: (x) => -x,
  exp: (x) => Math.exp(x),
  square: (x) => x ** 2,
  clip: (x, low, high) => Math.min(Math.max(x, low), high),
  greater: (a, b) => a > b,
  greaterOrEqual: (a, b) => a >= b,
  lessOrEqual: (a, b) => a <= b,
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  where: (condition, a, b) => (condition ? a : b),
};
