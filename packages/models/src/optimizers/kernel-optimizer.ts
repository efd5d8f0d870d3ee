// Base class of optimizers whose step is a single kernel of the device: Adam, Muon, SGD and AdamW with 8-bit moments.
import type { BoundProgram, Device, Kernel, State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';
import type { Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import { restoreStates, saveStates } from './optimizer-state.js';

export interface OptimizerParts<Args> {
  device: Device;
  parameters: State;
  gradients: State;
  /** The states that the optimizer keeps between steps, by the kernel's role names. */
  moments: Readonly<Record<string, State>>;
  /** The prefixes of tensor names in a file, by role. */
  prefixes: Readonly<Record<string, string>>;
  kernel: Kernel<Args, OptimizerStep>;
  programs?: Record<string, BoundProgram>;
  /** Metadata that a file must have to be restored. */
  note?: OptimizerNotes;
}

export abstract class KernelOptimizer<Args> implements Optimizer {
  #steps = 0;

  protected constructor(private readonly parts: OptimizerParts<Args>) {}

  get parameters(): State {
    return this.parts.parameters;
  }

  get gradients(): State {
    return this.parts.gradients;
  }

  get steps(): number {
    return this.#steps;
  }

  /**
   * Returns the numbers of one step.
   *
   * @param step counted from 1
   */
  protected abstract argsOf(options: StepOptions, step: number): Args;

  async step(options: StepOptions): Promise<OptimizerStep> {
    const { parameters, gradients, moments, kernel, programs } = this.parts;
    const states = { p: parameters, g: gradients, ...moments };
    const result = await kernel.call({ states, programs, args: this.argsOf(options, this.#steps + 1) });
    gradients.becomesZero();
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
    const { device, gradients, moments } = this.parts;
    for (const state of [gradients, ...Object.values(moments)]) await device.release(state);
  }

  #prefixed(): Record<string, State> {
    const { moments, prefixes } = this.parts;
    return Object.fromEntries(Object.entries(moments).map(([role, state]) => [prefixes[role], state]));
  }
}
