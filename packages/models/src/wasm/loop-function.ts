// Makes WebAssembly functions that loop over arrays: their parameters are integers (lengths, addresses) and float32 scalars,
// which the body reads in all four lanes of a vector; the body names its locals.
import { local, setLocal, splat, type Code, type FunctionSource } from './simd-assembler.js';

interface LoopNames<Whole extends string, Scalar extends string, Vector extends string> {
  /** Integer parameters, in order. */
  whole: readonly Whole[];
  /** float32 parameters, which follow the integer parameters, in order. */
  scalars: readonly Scalar[];
  /** Integer locals, initially zero. */
  counters?: readonly Whole[];
  /** Locals with four float32. */
  vectors: readonly Vector[];
}

interface LoopLocals<Whole extends string, Scalar extends string, Vector extends string> {
  /** The WebAssembly index of each integer parameter, counter and vector, by name. */
  at: Readonly<Record<Whole | Vector, number>>;
  /** For each scalar, the code that loads it into all four lanes of a vector. */
  scalar: Readonly<Record<Scalar, Code>>;
}

/** Makes the function name(...whole, ...scalars) with the given body. */
export function loopFunction<Whole extends string, Scalar extends string = never, Vector extends string = never>(
  name: string,
  { whole, scalars, counters = [], vectors }: LoopNames<Whole, Scalar, Vector>,
  body: (locals: LoopLocals<Whole, Scalar, Vector>) => Code,
): FunctionSource {
  const spread = whole.length + scalars.length;
  const behind = [...counters, ...vectors];
  const indices = [
    ...whole.map((key, i) => [key, i] as const),
    ...behind.map((key, i) => [key, spread + scalars.length + i] as const),
  ];
  return {
    name,
    params: [...whole.map(() => 'i32' as const), ...scalars.map(() => 'f32' as const)],
    locals: [
      ...scalars.map(() => 'v128' as const),
      ...counters.map(() => 'i32' as const),
      ...vectors.map(() => 'v128' as const),
    ],
    body: [
      ...scalars.flatMap((_, i) => setLocal(spread + i, splat(local(whole.length + i)))),
      ...body({
        at: Object.fromEntries(indices) as Record<Whole | Vector, number>,
        scalar: Object.fromEntries(scalars.map((key, i) => [key, local(spread + i)] as const)) as Record<Scalar, Code>,
      }),
    ],
  };
}
