// Computes slow, obvious gradients, for comparison with written-out ones.

/** Computes (f(x + h e_i) − f(x − h e_i)) / 2h for every i, x in float32. */
export function centralDifferences(f: (x: Float32Array) => number, x: Float32Array, step = 1e-3): number[] {
  return Array.from(x, (_, i) => {
    const at = (change: number) => f(x.map((value, j) => (j === i ? value + change : value)));
    // In float32 the real change differs a little from `step`.
    const [high, low] = [Math.fround(x[i] + step), Math.fround(x[i] - step)];
    return (at(step) - at(-step)) / (high - low);
  });
}

/**
 * Checks that each element is within `tolerance` of the central difference. Choose points where the function has no kink within the
 * step.
 */
export function expectGradient(
  f: (x: Float32Array) => { loss: number; gradient: Float32Array },
  x: Float32Array,
  tolerance = 1e-3,
): void {
  const { gradient } = f(x);
  const slopes = centralDifferences((at) => f(at).loss, x);
  expect(gradient).toHaveLength(slopes.length);
  slopes.forEach((slope, i) => {
    if (Math.abs(gradient[i] - slope) > tolerance * Math.max(1, Math.abs(slope)))
      throw new Error(`gradient[${i}] is ${gradient[i]}, the central difference ${slope}`);
  });
}
