// Muon over the matrices of linear layers, AdamW over everything else. The arithmetic is in muon-kernel.ts and muon-graph.ts.
import type { BoundProgram, Device, Kernel, State } from '@bowyer/graph';
import { adamArgs, type AdamOptions } from './adam.js';
import type { OptimizerStep } from './gradient-clip.js';
import { muonGraph } from './muon-graph.js';
import type { MuonArgs } from './muon-kernel.js';
import { matrixProgram } from './muon-matrix.js';
import { refuseAdamSettings, type Optimizer, type OptimizerNotes, type StepOptions } from './optimizer.js';
import { restoreStates, saveStates, shapesOf } from './optimizer-state.js';

export interface MuonOptions extends AdamOptions {
  /** μ, decay of the matrices' momentum per step. */
  momentum: number;
  /** Look ahead by the momentum. */
  nesterov: boolean;
}

interface Moments {
  /** AdamW's moments of the parameters that are not matrices. */
  m: State;
  v: State;
  /** Momentum of the matrices. */
  b: State;
}

export class Muon implements Optimizer {
  #steps = 0;

  private constructor(
    private readonly device: Device,
    readonly parameters: State,
    readonly gradients: State,
    private readonly moments: Moments,
    private readonly kernel: Kernel<MuonArgs, OptimizerStep>,
    /** The programs for the function in the worker; the whole step as a graph needs none. */
    private readonly programs: Record<'wide' | 'tall', BoundProgram> | undefined,
    private readonly options: MuonOptions,
  ) {}

  /**
   * Creates an optimizer with zero moments; it takes two to three times the parameters' memory.
   *
   * @param matrices names of the parameters that are weights of linear layers [out, in]
   * @param given gradients; its own if not given
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
    const moments = { m: await zeros(others), v: await zeros(others), b: await zeros(shapes.filter(isMatrix)) };
    const kernel = await device.loadKernel<MuonArgs, OptimizerStep>({
      module: new URL('./muon-kernel.js', import.meta.url),
      name: 'muonStep',
      graph: muonGraph,
      run: options.run,
    });
    const asGraph = options.run ? options.run === 'graph' : device.residency === 'gpu';
    const bind = async (isTall: boolean) => (await device.compile(matrixProgram(isTall))).bind({});
    const programs = asGraph ? undefined : { wide: await bind(false), tall: await bind(true) };
    return new Muon(device, parameters, given ?? (await zeros(shapes)), moments, kernel, programs, options);
  }

  get steps(): number {
    return this.#steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    refuseAdamSettings('muon', options);
    const result = await this.kernel.call({
      states: { p: this.parameters, g: this.gradients, ...this.moments },
      programs: this.programs,
      args: muonArgs(options, this.options, this.#steps + 1),
    });
    if (Number.isFinite(result.gradientNorm)) this.#steps++;
    return result;
  }

  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    await saveStates(this.device, path, this.#prefixed(), { steps: this.#steps, notes });
  }

  async restore(path: string): Promise<OptimizerNotes> {
    const { steps, notes } = await restoreStates(this.device, path, this.#prefixed());
    this.#steps = steps;
    return notes;
  }

  async release(): Promise<void> {
    for (const state of [this.gradients, ...Object.values(this.moments)]) await this.device.release(state);
  }

  #prefixed() {
    const { m, v, b } = this.moments;
    return { 'first_moment.': m, 'second_moment.': v, 'momentum.': b };
  }
}

/** Computes the numbers of one step. @param step 1 at the first one */
function muonArgs(options: StepOptions, muon: MuonOptions, step: number): MuonArgs {
  const { momentum, nesterov } = muon;
  const shares = nesterov ? { gradientShare: 1, bufferShare: momentum } : { gradientShare: 0, bufferShare: 1 };
  return { ...adamArgs(options, muon, step, true), lr: options.lr, momentum, ...shares };
}
