// Steps the optimizers of data-parallel training over several MPI processes (ranks). Each rank has summed the gradients of its
// own rows of the batch in `gradients`; a step first sums them over the ranks. Losses are means over the batches of all ranks, so
// that the sum is the gradient which a single process would compute.
import { makeTemporaryFolder, minimum, namingFile } from '@bowyer/core';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSafetensorsFile, writeSafetensors, type WritableTensors } from '@bowyer/checkpoints';
import type { Device, Kernel, State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';
import type { Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

/** The time that exchanges of gradients and parameters took, in ms. */
export interface ExchangeTimes {
  /** The time that this rank waited until the slowest rank was ready to exchange. */
  wait: number;
  exchange: number;
}

const times = new WeakMap<Device, ExchangeTimes>();

/** Returns the time that exchanges with other ranks have taken since the last call of this function. */
export function takeExchangeTimes(device: Device): ExchangeTimes {
  const found = times.get(device) ?? { wait: 0, exchange: 0 };
  times.delete(device);
  return found;
}

function count(device: Device, { wait, exchange }: ExchangeTimes): void {
  const before = times.get(device) ?? { wait: 0, exchange: 0 };
  times.set(device, { wait: before.wait + wait, exchange: before.exchange + exchange });
}

const kernelOf = <Args, Result>(device: Device, name: string): Promise<Kernel<Args, Result>> =>
  device.loadKernel<Args, Result>({ module: device.ranks.kernels!, name });

/** Takes the same step on every rank, each of which has the state of all parameters. */
export class ReplicatedOptimizer implements Optimizer {
  private constructor(
    private readonly device: Device,
    private readonly inner: Optimizer,
    private readonly sumGradients: Kernel<null, ExchangeTimes>,
  ) {}

  static async create(device: Device, inner: Optimizer): Promise<ReplicatedOptimizer> {
    return new ReplicatedOptimizer(device, inner, await kernelOf(device, 'sumGradients'));
  }

  get parameters() {
    return this.inner.parameters;
  }

  get gradients() {
    return this.inner.gradients;
  }

  get steps(): number {
    return this.inner.steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    count(this.device, await this.sumGradients.call({ states: { g: this.gradients }, args: null }));
    const result = await this.inner.step(options);
    this.#refuseDrift(result);
    return result;
  }

  /** Saves the state; only rank 0 writes. */
  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    if (this.device.ranks.rank === 0) await this.inner.save(path, notes);
  }

  restore(path: string): Promise<OptimizerNotes> {
    return this.inner.restore(path);
  }

  release(): Promise<void> {
    return this.inner.release();
  }

  /** Throws an error unless all ranks have computed the same norm, since otherwise their models would diverge. */
  #refuseDrift({ gradientNorm }: OptimizerStep): void {
    const norms = this.device.ranks.gather(gradientNorm);
    if (norms.every((norm) => Object.is(norm, norms[0]))) return;
    throw new Error(
      `the ranks have different gradients after their sum (norms ${norms.join(', ')}): their models are no longer the same\n` +
        '  this is a fault of the MPI library or of the machines; resume from the last checkpoint',
    );
  }
}

/**
 * Divides the state among the ranks (ZeRO-1): each parameter's moments are on one rank, which updates the parameter and sends it to the
 * others. Tensors are not split, so that a rank may need as much memory as the largest one takes. Source: Rajbhandari et al. 2020,
 * arXiv:1910.02054, section 5.1.
 */
export class ShardedOptimizer implements Optimizer {
  private constructor(
    private readonly device: Device,
    readonly parameters: State,
    readonly gradients: State,
    /** The optimizer of the parameters that this rank updates. */
    private readonly inner: Optimizer,
    /** For each parameter, the rank that updates it. */
    private readonly owners: readonly number[],
    private readonly kernels: {
      reduce: Kernel<object, ExchangeTimes & { ownSquares: number; squares: number }>;
      share: Kernel<object, ExchangeTimes>;
    },
  ) {}

  /** @param create creates an optimizer of the given parameters, whose gradients are summed in the given state */
  static async create(
    device: Device,
    parameters: State,
    create: (parameters: State, gradients: State) => Promise<Optimizer>,
  ): Promise<ShardedOptimizer> {
    const { ranks } = device;
    if (device.residency === 'gpu')
      throw new Error(
        'distributed.shard_optimizer=true: on webgpu states cannot be divided\n  write distributed.shard_optimizer=false, or device.kind=cpu',
      );
    const gradients = await device.createZeros(shapesOf(parameters));
    const owners = ownersOf(parameters, ranks.size);
    const own = parameters.names.filter((_, i) => owners[i] === ranks.rank);
    const inner = await create(await device.viewOf(parameters, own), await device.viewOf(gradients, own));
    const kernels = {
      reduce: await kernelOf<object, ExchangeTimes & { ownSquares: number; squares: number }>(
        device,
        'sumGradientsAtOwners',
      ),
      share: await kernelOf<object, ExchangeTimes>(device, 'shareParameters'),
    };
    return new ShardedOptimizer(device, parameters, gradients, inner, owners, kernels);
  }

  get steps(): number {
    return this.inner.steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    const { gradientScale = 1, othersNorm = 0, maxGradNorm } = options;
    const { device, owners } = this;
    const args = { owners, rank: device.ranks.rank };
    const reduced = await this.kernels.reduce.call({ states: { g: this.gradients }, args });
    count(device, reduced);
    const gradientNorm = gradientScale * Math.sqrt(reduced.squares);
    // Gradients are clipped by the norm over all ranks, to which the gradients of other ranks' parameters contribute `others`. A
    // NaN or infinity on any rank is in this norm, so that all ranks skip the step.
    const others = gradientScale * Math.sqrt(Math.max(reduced.squares - reduced.ownSquares, 0));
    if (!Number.isFinite(gradientNorm)) {
      await this.#clear();
      return { gradientNorm, clipCoefficient: 0 };
    }
    await this.inner.step({ ...options, othersNorm: Math.hypot(othersNorm, others) });
    count(device, await this.kernels.share.call({ states: { p: this.parameters }, args }));
    const jointNorm = Math.hypot(gradientNorm, othersNorm);
    return { gradientNorm, clipCoefficient: Math.min(1, maxGradNorm / (jointNorm + 1e-6)) };
  }

  /** Saves the states of all ranks in one file, from which a run with any number of ranks can resume. Every rank must call it. */
  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    const { ranks } = this.device;
    const folder = makeTemporaryFolder('shard');
    try {
      const own = join(folder, 'own.safetensors');
      await this.inner.save(own, notes);
      const parts = ranks.gather(new Uint8Array(await readFile(own)));
      if (ranks.rank === 0) await joinFiles(parts, folder, path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Restores the state of the parameters that this rank updates. */
  restore(path: string): Promise<OptimizerNotes> {
    return this.inner.restore(path);
  }

  async release(): Promise<void> {
    await this.inner.release();
    await this.device.release(this.inner.parameters);
    await this.device.release(this.gradients);
  }

  async #clear(): Promise<void> {
    const zeros = Object.entries(shapesOf(this.gradients)).map(([name, shape]) => {
      const size = shape.reduce((product, dim) => product * dim, 1);
      return [name, { data: new Float32Array(size) }] as const;
    });
    await this.device.write(this.gradients, Object.fromEntries(zeros));
  }
}

/** Assigns each parameter to a rank: the largest first, each to the rank with the fewest elements so far. */
function ownersOf(parameters: State, size: number): number[] {
  const sizes = Object.values(shapesOf(parameters)).map((shape) => shape.reduce((product, dim) => product * dim, 1));
  const owners = new Array<number>(sizes.length);
  const load = new Array<number>(size).fill(0);
  for (const i of sizes.map((_, i) => i).sort((a, b) => sizes[b] - sizes[a] || a - b)) {
    owners[i] = load.indexOf(minimum(load));
    load[owners[i]] += sizes[i];
  }
  return owners;
}

/** Joins the optimizer files of all ranks, whose metadata is the same, to one file at `path`. */
async function joinFiles(parts: readonly Uint8Array[], folder: string, path: string): Promise<void> {
  const all: WritableTensors = {};
  let metadata: Record<string, string> = {};
  for (const [rank, bytes] of parts.entries()) {
    const file = join(folder, `${rank}.safetensors`);
    await namingFile(file, () => writeFile(file, bytes));
    const found = await readSafetensorsFile(file);
    Object.assign(all, found.tensors);
    metadata = { ...found.metadata };
  }
  await writeSafetensors(path, all, metadata);
}
