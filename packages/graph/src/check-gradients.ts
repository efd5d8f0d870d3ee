// Compares the gradients of a graph with central differences, to test the operators of this package and whole models.
import { GraphBuilder } from './builder.js';
import type { Device } from './device/device.js';
import type { InputTensor } from './device/program.js';
import { evaluateDim, type Dim, type Shape } from './dims.js';
import type { DataType, TensorArray } from './dtype.js';
import { gradients } from './gradients.js';
import type { Value } from './ir.js';

export interface GradientSample {
  /** Each input's declared shape (which may have symbols) and data. Gradients are checked for every float32 input. */
  inputs: Readonly<Record<string, { shape: Shape; dims: readonly number[]; data: TensorArray; dtype?: DataType }>>;
  build: (g: GraphBuilder, inputs: Readonly<Record<string, Value>>) => Value | readonly Value[];
}

/** The element of an input at which the gradient and the central difference differ most. */
export interface GradientComparison {
  input: string;
  index: number;
  fromRule: number;
  fromDifferences: number;
  /** |gradient − difference| / (1 + |difference|) */
  error: number;
}

/**
 * Compares gradients with central differences. It returns one comparison per float32 input, that of the element with the largest error.
 *
 *     f(x) = Σ wᵢ yᵢ(x) with fixed wᵢ,   ∂f/∂x ≈ (f(x + h) − f(x − h)) / 2h
 *
 * The sum is computed in float64, so that only y has float32 rounding errors.
 */
export async function checkGradients(
  device: Device,
  sample: GradientSample,
  { step }: { step: number },
): Promise<GradientComparison[]> {
  const { graph, names, size } = buildCheck(sample);
  const program = await device.compile(graph);
  try {
    const feeds: Record<string, InputTensor> = Object.fromEntries(
      Object.entries(sample.inputs).map(([name, { dims, data }]) => [name, { dims, data }]),
    );
    const weights = Float32Array.from({ length: evaluateDim(size, symbolSizes(sample))! }, (_, i) =>
      Math.cos(1 + 2.3 * i),
    );
    feeds['check/weights'] = { dims: [weights.length], data: weights };
    const rules = await program.run({ inputs: feeds, fetch: names.map((name) => `d${name}`) });
    const evaluate = async (input: string, data: TensorArray) => {
      const { y } = await program.run({
        inputs: { ...feeds, [input]: { dims: feeds[input]!.dims, data } },
        fetch: ['y'],
      });
      return (y!.data as Float32Array).reduce((sum, value, i) => sum + value * weights[i]!, 0);
    };
    return await Promise.all(
      names.map((name) =>
        worstElement(
          name,
          sample.inputs[name]!.data as Float32Array,
          rules[`d${name}`]!.data as Float32Array,
          step,
          evaluate,
        ),
      ),
    );
  } finally {
    await program.release();
  }
}

/** Builds a graph of the flattened output y, and of the gradients of Σ w y by every float32 input. */
function buildCheck(sample: GradientSample): { graph: GraphBuilder; names: string[]; size: Dim } {
  const graph = new GraphBuilder('gradient_check');
  const inputs = Object.fromEntries(
    Object.entries(sample.inputs).map(([name, { shape, dtype = 'float32' }]) => [
      name,
      graph.input(name, dtype, shape),
    ]),
  );
  const built = sample.build(graph, inputs);
  const results = Array.isArray(built) ? (built as Value[]) : [built as Value];
  const y = graph.concat(
    results.map((result) => graph.reshape(result, [-1])),
    0,
  );
  graph.output('y', y);
  const names = Object.keys(inputs).filter((name) => inputs[name]!.dtype === 'float32');
  const upstream = graph.input('check/weights', 'float32', y.shape);
  gradients(
    graph,
    y,
    names.map((name) => inputs[name]!),
    { upstream },
  ).forEach((gradient, i) => graph.output(`d${names[i]}`, gradient));
  return { graph, names, size: y.dim(0) };
}

/** Finds the sizes of the symbols in the declared shapes from the dimensions of the sample's tensors. */
function symbolSizes(sample: GradientSample): (symbol: string) => number | undefined {
  const sizes = new Map<Dim, number>();
  for (const { shape, dims } of Object.values(sample.inputs)) shape.forEach((dim, axis) => sizes.set(dim, dims[axis]!));
  return (symbol) => sizes.get(symbol);
}

async function worstElement(
  input: string,
  x: Float32Array,
  rule: Float32Array,
  step: number,
  evaluate: (input: string, data: Float32Array) => Promise<number>,
): Promise<GradientComparison> {
  const comparisons = await Promise.all(
    Array.from(x, async (value, index): Promise<GradientComparison> => {
      const [above, below] = [x.slice(), x.slice()];
      above[index] = value + step;
      below[index] = value - step;
      // The step between the two points as it is after rounding to float32.
      const width = above[index] - below[index];
      const [high, low] = await Promise.all([evaluate(input, above), evaluate(input, below)]);
      const fromDifferences = (high - low) / width;
      const fromRule = rule[index]!;
      return {
        input,
        index,
        fromRule,
        fromDifferences,
        error: Math.abs(fromRule - fromDifferences) / (1 + Math.abs(fromDifferences)),
      };
    }),
  );
  return comparisons.reduce((worst, c) => (c.error > worst.error || Number.isNaN(c.error) ? c : worst));
}
