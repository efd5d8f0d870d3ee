// A kernel for the tests, p ← p − rate · g, which returns the sum of the new p, and the same calculation as a graph.
import type { GraphKernelBuilder, HostKernel } from '../../src/index.js';

export const descend: HostKernel<'p' | 'g', { rate: number }, { total: number }> = ({ states, args }) => {
  let total = 0;
  for (const [name, { data }] of Object.entries(states.p)) {
    const gradient = states.g[name]!.data;
    for (let i = 0; i < data.length; i++) {
      data[i] = Number(data[i]) - args.rate * Number(gradient[i]);
      total += Number(data[i]);
    }
  }
  return { total };
};

export const descendGraph: GraphKernelBuilder = (g, { states, args }) => {
  const updated = Object.fromEntries(
    Object.entries(states.p!).map(([name, p]) => [name, g.sub(p, g.mul(states.g![name]!, args.rate!))]),
  );
  const total = Object.values(updated)
    .map((p) => g.reduceSum(p))
    .reduce((a, b) => g.add(a, b));
  return { states: { p: updated }, results: { total } };
};

export const countUp: HostKernel<'cache', { steps: number }, number[], 'step'> = async ({ states, programs, args }) => {
  const seen: number[] = [];
  for (let i = 1; i <= args.steps; i++) {
    states.cache.k!.data[i - 1] = i;
    const { sum } = await programs.step.run({ views: { known: ['cache', 'k', [i]] } });
    seen.push(Number(sum!.data[0]));
  }
  return seen;
};

/** Writes 1, 2, … into a state that stays on the GPU, and reports the sum after each. */
export const writeUp: HostKernel<'cache', { steps: number }, number[], 'step'> = async ({ states, programs, args }) => {
  const seen: number[] = [states.cache.k!.data.length];
  for (let i = 1; i <= args.steps; i++) {
    const { sum } = await programs.step.run({
      inputs: {
        at: { dims: [1, 1], data: BigInt64Array.of(BigInt(i - 1)) },
        value: { dims: [1], data: Float32Array.of(i) },
      },
      views: { cache: ['cache', 'k', [4]] },
    });
    seen.push(Number(sum!.data[0]));
  }
  return seen;
};

export const fail: HostKernel = () => {
  throw new Error('this kernel always fails');
};

export const endWorker: HostKernel = () => process.exit(3);
