// Muon for the matrices of linear layers, AdamW for all other parameters. The computation is in muon-kernel.ts and muon-graph.ts.
import type { Device, State } from '@bowyer/graph';
import { ADAM_PREFIXES, adamArgs, type AdamOptions } from './adam.js';
import type { OptimizerStep } from './gradient-clip.js';
import { KernelOptimizer, type OptimizerParts } from './kernel-optimizer.js';
import { muonGraph } from './muon-graph.js';
import type { MuonArgs } from './muon-kernel.js';
import { matrixProgram } from './muon-matrix.js';
import { refuseAdamSettings, type StepOptions } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

export interface MuonOptions extends AdamOptions {
  /** μ, the decay of the matrices' momentum per step. */
  momentum: number;
  /** Whether to use Nesterov momentum. */
  nesterov: boolean;
}

export class Muon extends KernelOptimizer<MuonArgs> {
  private constructor(
    parts: OptimizerParts<MuonArgs>,
    private readonly options: MuonOptions,
  ) {
    super(parts);
  }

  /**
   * Creates an optimizer with zero moments; it needs two to three times the parameters' memory.
   *
   * @param matrices names of the parameters that are weights of linear layers [out, in]
   * @param given the state in which gradients are summed; created if not given
   */
  static async create(
    device: Device,
    parameters: State,
    options: MuonOptions,
    matrices: ReadonlySet<string>,
    given?: State,
  ): Promise<Muon> {
    const shapes = Object.entries(shapesOf(parameters));
    const isMatrix = ([name, shape]: [string, readonly number[]]) => matrices.has(name) && shape.length === 2;
    const zeros = (of: typeof shapes) => device.createZeros(Object.fromEntries(of));
    const others = shapes.filter((entry) => !isMatrix(entry));
    // m and v are AdamW's moments of the parameters that are not matrices; b is the momentum of the matrices.
    const moments = { m: await zeros(others), v: await zeros(others), b: await zeros(shapes.filter(isMatrix)) };
    const prefixes = { ...ADAM_PREFIXES, b: 'momentum.' };
    const kernel = await device.loadKernel<MuonArgs, OptimizerStep>({
      module: new URL('./muon-kernel.js', import.meta.url),
      name: 'muonStep',
      graph: muonGraph,
      run: options.run,
    });
    const asGraph = options.run ? options.run === 'graph' : device.residency === 'gpu';
    const bind = async (isTall: boolean) => (await device.compile(matrixProgram(isTall))).bind({});
    // If the whole step is a graph, no separate programs are needed.
    const programs = asGraph ? undefined : { wide: await bind(false), tall: await bind(true) };
    const gradients = given ?? (await zeros(shapes));
    return new Muon({ device, parameters, gradients, moments, prefixes, kernel, programs }, options);
  }

  protected argsOf(options: StepOptions, step: number): MuonArgs {
    refuseAdamSettings('muon', options);
    const { momentum, nesterov } = this.options;
    const shares = nesterov ? { gradientShare: 1, bufferShare: momentum } : { gradientShare: 0, bufferShare: 1 };
    return { ...adamArgs(options, this.options, step, true), lr: options.lr, momentum, ...shares };
  }
}
