// Makes optimizers whose step is one call of a kernel, a function in the device's worker thread or a graph on a GPU: Adam, AdamW
// with and without 8-bit moments, Muon and SGD.
import type { BoundProgram, Device, Kernel, KernelSource, State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';
import type { Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import { restoreStates, saveStates, shapesOf } from './optimizer-state.js';

/** The tensors on a device that an optimizer updates, and their gradients. */
export interface Optimized {
  device: Device;
  parameters: State;
  /** The state in which gradients are summed; created if not given. */
  gradients?: State;
}

interface OptimizerParts<Args> extends Optimized {
  /** The states that the optimizer keeps between steps, by the names that the kernel gives them, such as `m` and `v`. */
  moments: Readonly<Record<string, State>>;
  /** The prefixes of the tensors' names in the optimizer's file, by the names of these states. */
  prefixes: Readonly<Record<string, string>>;
  kernel: KernelSource;
  programs?: Record<string, BoundProgram>;
  /** Metadata of the optimizer's file, without which the file is not restored. */
  note?: OptimizerNotes;
  /** Returns the kernel's arguments for one step. @param step counted from 1 */
  argsOf(options: StepOptions, step: number): Args;
}

/** Takes each step by one call of a kernel. */
export class KernelOptimizer<Args> implements Optimizer {
  #steps = 0;

  private constructor(
    private readonly parts: OptimizerParts<Args>,
    readonly gradients: State,
    private readonly kernel: Kernel<Args, OptimizerStep>,
  ) {}

  static async create<Args>(parts: OptimizerParts<Args>): Promise<KernelOptimizer<Args>> {
    const { device, parameters } = parts;
    const gradients = parts.gradients ?? (await device.createZeros(shapesOf(parameters)));
    return new KernelOptimizer(parts, gradients, await device.loadKernel<Args, OptimizerStep>(parts.kernel));
  }

  get parameters(): State {
    return this.parts.parameters;
  }

  get steps(): number {
    return this.#steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    const { parameters, moments, programs } = this.parts;
    const states = { p: parameters, g: this.gradients, ...moments };
    const result = await this.kernel.call({ states, programs, args: this.parts.argsOf(options, this.#steps + 1) });
    this.gradients.becomesZero();
    if (Number.isFinite(result.gradientNorm)) this.#steps++;
    return result;
  }

  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    const { device, note } = this.parts;
    await saveStates(device, path, this.#prefixed(), { steps: this.#steps, notes: { ...notes, ...note } });
  }

  async restore(path: string): Promise<OptimizerNotes> {
    const { steps, notes } = await restoreStates(this.parts.device, path, this.#prefixed(), this.parts.note);
    this.#steps = steps;
    return notes;
  }

  async release(): Promise<void> {
    const { device, moments } = this.parts;
    for (const state of [this.gradients, ...Object.values(moments)]) await device.release(state);
  }

  #prefixed(): Record<string, State> {
    const { moments, prefixes } = this.parts;
    return Object.fromEntries(Object.entries(moments).map(([role, state]) => [prefixes[role], state]));
  }
}
