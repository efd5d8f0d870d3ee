/** Elements of a tensor with these dimensions. */
export const sizeOf = (dims: readonly number[]): number => dims.reduce((product, dim) => product * dim, 1);

/** `value ?? raise('what is wrong')`: throws within an expression. */
export function raise(problem: string): never {
  throw new Error(problem);
}
