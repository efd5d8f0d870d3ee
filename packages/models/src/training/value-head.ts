// Computes a state's value as a linear function of the trunk's last hidden state, by a value head:
//
//     V(s) = w · h / rms(h) + b
//
// h is the residual stream after the last block at the last token of s; the trunk's final norm is used by the LM head only.
// Source: the shared network of Schulman et al. 2017, arXiv:1707.06347, section 5; for language models Ziegler et al. 2019,
// arXiv:1909.08593.
import { join } from 'node:path';
import { GraphBuilder, type Device, type State, type Value } from '@bowyer/graph';
import { readSafetensors, writeSafetensors } from '@bowyer/checkpoints';
import { linear, parameterInputs, type Parameters } from '../layers/linear.js';
import { rmsNormalization } from '../layers/rms-normalization.js';
import { createOptimizer, type OptimizerOptions } from '../optimizers/create-optimizer.js';
import type { Optimizer } from '../optimizers/optimizer.js';
import { loadStateDict, readStateDict } from '../weights/state-dict.js';

const NAME = 'value_head';
const EPSILON = 1e-6;
const FILES = { weights: 'value-head.safetensors', optimizer: 'value-head-optimizer.safetensors' };

/** Returns the shapes of the value head's parameters for a model whose residual stream has this width. */
export const valueHeadParameters = (width: number): Record<string, number[]> => ({
  [`${NAME}.weight`]: [1, width],
  [`${NAME}.bias`]: [1],
});

export const valueHeadInputs = (g: GraphBuilder, width: number): Parameters =>
  parameterInputs(
    g,
    Object.fromEntries(Object.entries(valueHeadParameters(width)).map(([name, shape]) => [name, { shape }])),
  );

/** Computes values from hidden states `rows`: [n, width] → [n]. */
export function valueHeadGraph(g: GraphBuilder, rows: Value, parameters: Parameters): Value {
  const normalized = rmsNormalization(g, rows, g.full(1, [rows.dim(1)]), EPSILON);
  return g.squeeze(linear(g, normalized, parameters, NAME), 1);
}

/** A value head on a device: weights, and their own optimizer, since they are trained from scratch, unlike the language model. */
export class ValueHead {
  private constructor(
    private readonly device: Device,
    readonly parameters: State,
    readonly optimizer: Optimizer,
  ) {}

  /** Creates a head with V = 0 for every state. Zero weights pass no gradient to the language model until their first update. */
  static async create(device: Device, width: number, options: OptimizerOptions): Promise<ValueHead> {
    const parameters = await device.createZeros(valueHeadParameters(width));
    return new ValueHead(device, parameters, await createOptimizer(device, parameters, options));
  }

  /** Writes the head and its optimizer into a folder, in separate files. */
  async save(dir: string): Promise<void> {
    await writeSafetensors(join(dir, FILES.weights), await readStateDict(this.device, this.parameters));
    await this.optimizer.save(join(dir, FILES.optimizer));
  }

  /** Restores what `save` wrote, bit for bit. */
  async restore(dir: string): Promise<void> {
    const path = join(dir, FILES.weights);
    await loadStateDict(this.device, this.parameters, await readSafetensors(path), { path });
    await this.optimizer.restore(join(dir, FILES.optimizer));
  }

  async release(): Promise<void> {
    await this.optimizer.release();
    await this.device.release(this.parameters);
  }
}
