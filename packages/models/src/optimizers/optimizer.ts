// Declares optimizers over a state of parameters. Training programs sum gradients in `gradients`; a `step` clips them by the global norm,
// updates the parameters in place and sets the gradients to zero.
import type { State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';

export interface StepOptions {
  lr: number;
  /** The largest global norm of the summed gradients; Infinity: no clipping. */
  maxGradNorm: number;
  /** A factor of the summed gradients, applied before the norm is computed, e.g. 1 / micro-batches for their mean. */
  gradientScale?: number;
  /** The norm of another network's gradients that shares the clip (ArCHer's code clips all networks together). */
  othersNorm?: number;
  /** Adam's settings for this step, instead of the optimizer's own; other kinds of optimizers refuse them. */
  adam?: AdamSettings;
}

export interface AdamSettings {
  /** β₁ and β₂, the decay of first and second moment per step. */
  betas: readonly [number, number];
  /** ε, which is added to the root of the second moment. */
  eps: number;
  /** λ: Adam adds λp to the gradient, AdamW reduces p by lr · λ · p. */
  weightDecay: number;
}

/** Returns the factors of gradient and momentum buffer in the update of a parameter, with Nesterov momentum or without. */
export const momentumShares = ({ momentum, nesterov }: { momentum: number; nesterov: boolean }) =>
  nesterov ? { gradientShare: 1, bufferShare: momentum } : { gradientShare: 0, bufferShare: 1 };

/** Throws an error if the options of a step contain settings of Adam, which an optimizer of this kind does not have. */
export function refuseAdamSettings(kind: string, { adam }: StepOptions): void {
  if (adam)
    throw new Error(`${kind}: the step has betas, eps and weight decay of Adam; create an Adam or AdamW for them`);
}

/** Updates parameters by their summed gradients. */
export interface Optimizer {
  readonly parameters: State;
  /** Has the names and shapes of the parameters; training programs add to it. */
  readonly gradients: State;
  /** The number of steps so far. */
  readonly steps: number;
  /** The factor by which the loss is multiplied before the backward pass; 1 if not given. The step divides by it. */
  readonly lossScale?: number;
  /**
   * Takes one step on the summed gradients and sets them to zero. If they are not finite, nothing else is changed, and
   * `gradientNorm` is NaN or infinite; the caller decides what follows.
   */
  step(options: StepOptions): Promise<OptimizerStep>;
  /** Writes the optimizer's state and `notes`. Gradients are not saved, so save between steps. */
  save(path: string, notes?: OptimizerNotes): Promise<void>;
  /** Restores what `save` wrote, bit for bit. @returns the notes */
  restore(path: string): Promise<OptimizerNotes>;
  /** Frees gradients and moments; the parameters belong to the model. */
  release(): Promise<void>;
}

/** Short texts that are saved in the metadata of an optimizer's file. */
export type OptimizerNotes = Readonly<Record<string, string>>;
