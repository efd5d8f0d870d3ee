// Makes the optimizer Muon for the matrices of linear layers, with AdamW for all other parameters. muon-kernel.ts and muon-graph.ts have
// its step.
import { ADAM_PREFIXES, adamArgs, type AdamOptions } from './adam.js';
import { KernelOptimizer, type Optimized } from './kernel-optimizer.js';
import { muonGraph } from './muon-graph.js';
import type { MuonArgs } from './muon-kernel.js';
import { matrixProgram } from './muon-matrix.js';
import { momentumShares, refuseAdamSettings, type Optimizer } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

export interface MuonOptions extends AdamOptions {
  /** μ, the decay of the matrices' momentum per step. */
  momentum: number;
  nesterov: boolean;
}

/** Creates Muon with zero moments (2 to 3 times the parameters' memory). @param matrices names of linear layers' weights */
export async function createMuon(
  states: Optimized,
  options: MuonOptions,
  matrices: ReadonlySet<string>,
): Promise<Optimizer> {
  const { device, parameters } = states;
  const shapes = Object.entries(shapesOf(parameters));
  const isMatrix = ([name, shape]: [string, readonly number[]]) => matrices.has(name) && shape.length === 2;
  const zeros = (of: typeof shapes) => device.createZeros(Object.fromEntries(of));
  const others = shapes.filter((entry) => !isMatrix(entry));
  // m and v are AdamW's moments of the parameters that are not matrices; b is the momentum of the matrices.
  const moments = { m: await zeros(others), v: await zeros(others), b: await zeros(shapes.filter(isMatrix)) };
  const asGraph = options.run ? options.run === 'graph' : device.residency === 'gpu';
  const bind = async (isTall: boolean) => (await device.compile(matrixProgram(isTall))).bind({});
  return KernelOptimizer.create<MuonArgs>({
    ...states,
    moments,
    prefixes: { ...ADAM_PREFIXES, b: 'momentum.' },
    kernel: {
      module: new URL('./muon-kernel.js', import.meta.url),
      name: 'muonStep',
      graph: muonGraph,
      run: options.run,
    },
    // On a GPU the whole step is one graph; otherwise the kernel runs compiled graphs for matrices, one for each orientation.
    programs: asGraph ? undefined : { wide: await bind(false), tall: await bind(true) },
    argsOf: (given, step) => {
      refuseAdamSettings('muon', given);
      const numbers = adamArgs(given, options, step, true);
      return { ...numbers, lr: given.lr, momentum: options.momentum, ...momentumShares(options) };
    },
  });
}
