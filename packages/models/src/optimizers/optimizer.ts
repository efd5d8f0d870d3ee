// The training of a state of parameters: gradients are summed into `gradients` by the training programs, one `step` clips by the
// global norm, updates in place and sets them to zero. Each kind has its own file; this one contains what they share.
import type { State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';

export interface StepOptions {
  lr: number;
  /** Largest global norm of the summed gradients; Infinity for none. */
  maxGradNorm: number;
  /** Multiplies the summed gradients before the norm is taken, e.g. 1 / micro-batches for their mean. */
  gradientScale?: number;
  /** Norm of another network's gradients that shares the clip (ArCHer's own code clips all networks together). */
  othersNorm?: number;
  /** Adam's settings of this step in place of the optimizer's own; another kind of optimizer refuses them. */
  adam?: AdamSettings;
}

export interface AdamSettings {
  /** β₁, β₂: decay of the first and second moment per step. */
  betas: readonly [number, number];
  /** ε, added to the root of the second moment. */
  eps: number;
  /** λ: Adam adds λp to the gradient, AdamW shrinks p by lr · λ. */
  weightDecay: number;
}

/** Throws an error where a step has settings of Adam. */
export function refuseAdamSettings(kind: string, { adam }: StepOptions): void {
  if (adam)
    throw new Error(`${kind}: the step has betas, eps and weight decay of Adam; create an Adam or AdamW for them`);
}

export interface Optimizer {
  readonly parameters: State;
  /** Same names and shapes as the parameters; training programs add into it. */
  readonly gradients: State;
  /** Steps taken so far. */
  readonly steps: number;
  /** The factor of the loss before the backward pass; 1 if not given. The step divides by it. */
  readonly lossScale?: number;
  /**
   * Makes one step on the summed gradients, which are zero afterwards. If they are not finite nothing else is changed, and
   * `gradientNorm` is NaN or infinite: the caller decides.
   */
  step(options: StepOptions): Promise<OptimizerStep>;
  /** Writes what the next step needs besides the parameters, and `notes`. Gradients are not kept: save between steps. */
  save(path: string, notes?: OptimizerNotes): Promise<void>;
  /** Restores, bit for bit, what `save` wrote. @returns the notes */
  restore(path: string): Promise<OptimizerNotes>;
  /** Frees gradients and moments; the parameters belong to the model. */
  release(): Promise<void>;
}

/** Short texts beside an optimizer's tensors, in its file's metadata. */
export type OptimizerNotes = Readonly<Record<string, string>>;
