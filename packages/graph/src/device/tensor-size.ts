/** Returns the number of elements of a tensor with these dimensions. */
export const sizeOf = (dims: readonly number[]): number => dims.reduce((product, dim) => product * dim, 1);

/** Throws an error; usable within an expression: `value ?? raise('what is wrong')`. */
export function raise(problem: string): never {
  throw new Error(problem);
}
