// Trains and evaluates a double critic: the heads Q1, Q2, V1 and V2 on one text encoder, a Polyak-averaged target network, and
// the optimizer. The algorithm that trains the agent computes the TD targets.
// Source: ArCHer, Zhou et al. 2024 (arXiv:2402.19446), section 3.3.
import { join } from 'node:path';
import { shareOf, type Rng } from '@bowyer/core';
import {
  GraphBuilder,
  gradients,
  type BoundProgram,
  type Device,
  type Kernel,
  type Program,
  type State,
  type Value,
} from '@bowyer/graph';
import { BUFFER_STEPS, roundedSize } from '../batching/few-sizes.js';
import { LARGE_BYTES } from '../language-model/language-model.js';
import { polyakGraph } from '../optimizers/adam-graph.js';
import { parameterInputs, type Parameters } from '../layers/linear.js';
import { createOptimizer, type OptimizerOptions } from '../optimizers/create-optimizer.js';
import type { Optimizer } from '../optimizers/optimizer.js';
import { readSafetensors, writeSafetensors, type HostTensors } from '@bowyer/checkpoints';
import { readStateDict, loadStateDict } from '../weights/state-dict.js';
import type { CriticEncoder, CriticFeeds } from './critic-encoder.js';
import { applyHeads, initializeHeads, qHeads, vHeads } from './critic-heads.js';

interface DoubleCriticOptions {
  device: Device;
  encoder: CriticEncoder;
  /** The generator from which initial weights are drawn. */
  rng: Rng;
  /** The initial bias of every head's output: the return that is expected before any training. */
  outputBias: number;
  optimizer: OptimizerOptions;
}

/** The values of the heads, one number per observation; q1 and q2 are empty where no actions are given. */
export interface HeadOutputs {
  q1: Float32Array;
  q2: Float32Array;
  v1: Float32Array;
  v2: Float32Array;
}

export interface CriticBatch {
  observations: readonly string[];
  actions: readonly string[];
  /** [N] the regression targets of each head. */
  q1Targets: Float32Array;
  q2Targets: Float32Array;
  v1Targets: Float32Array;
  v2Targets: Float32Array;
  /** [N] for each head, the weight of each row's squared error, e.g. for expectile regression; 1 if omitted. */
  weights?: Partial<Record<Head, Float32Array>>;
}

interface CriticLosses extends HeadOutputs {
  q1Loss: number;
  q2Loss: number;
  v1Loss: number;
  v2Loss: number;
}

const allHeads = [...qHeads, ...vHeads];
type Head = (typeof allHeads)[number];

/** Holds a double critic: the online and the target network, and the optimizer's state. */
export class DoubleCritic {
  readonly #evaluators = new Map<string, Promise<BoundProgram>>();
  readonly #evaluatorPrograms = new Map<boolean, Promise<Program>>();
  #trainer: Promise<BoundProgram> | undefined;

  private constructor(
    private readonly device: Device,
    private readonly encoder: CriticEncoder,
    readonly optimizer: Optimizer,
    /** The parameters of the online network, which is trained. */
    readonly parameters: State,
    /** The parameters of the target network, which follows the online network slowly (`polyak`). */
    readonly targetParameters: State,
    private readonly polyakKernel: Kernel<{ tau: number }, null>,
  ) {}

  /** Creates a critic with random weights; the target network begins as a copy of the online network. */
  static async create({ device, encoder, rng, outputBias, optimizer }: DoubleCriticOptions): Promise<DoubleCritic> {
    const tensors = { ...encoder.initialParameters(rng), ...initializeHeads(rng, { ...encoder, outputBias }) };
    const copy = Object.fromEntries(
      Object.entries(tensors).map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]),
    );
    const parameters = await device.createState(tensors);
    const kernel = await device.loadKernel<{ tau: number }, null>({
      module: new URL('./polyak-kernel.js', import.meta.url),
      name: 'polyakStep',
      graph: polyakGraph,
    });
    const trainer = await createOptimizer(device, parameters, optimizer);
    return new DoubleCritic(device, encoder, trainer, parameters, await device.createState(copy), kernel);
  }

  /** Counts the trained parameters. */
  get size(): number {
    return this.parameters.size;
  }

  /**
   * Computes the values of (observation, action) pairs, or of observations alone.
   *
   * @param actions one for each observation; with null only V1 and V2 are computed, and q1 and q2 are empty
   */
  async evaluate(
    observations: readonly string[],
    actions: readonly string[] | null,
    which: 'online' | 'target',
  ): Promise<HeadOutputs> {
    const count = observations.length;
    if (actions && actions.length !== count) throw lengthError('evaluate', 'actions', actions.length, count);
    const heads = actions ? allHeads : vHeads;
    if (count === 0) return splitHeads(new Float32Array(0), heads, 0);
    const evaluator = await this.#evaluator(which, actions !== null);
    const all = new Float32Array(count * heads.length);
    for (const { inputs, items } of this.#ownFeeds(observations, actions)) {
      const { values } = await evaluator.run({ inputs });
      scatterRows(values.data as Float32Array, items, all, heads.length);
    }
    this.device.ranks.sum(all);
    return splitHeads(all, heads, count);
  }

  /**
   * Adds the gradient of the batch's loss to `optimizer.gradients`. To train, call it once per micro-batch, then
   * `optimizer.step`.
   *
   *     L = Σ_{i=1,2} [ mean w^Q_i (Q_i(s, a) − y^Q_i)² + mean w^V_i (V_i(s) − y^V_i)² ],   with a target y and a weight w for each row and head
   *
   * @returns the four means, and the outputs of the heads before the step
   */
  async accumulateGradients(batch: CriticBatch): Promise<CriticLosses> {
    const count = batch.observations.length;
    if (count === 0) throw new RangeError('DoubleCritic.accumulateGradients: the batch is empty');
    const targets = allHeads.map((head) => batch[`${head}Targets`]);
    for (const [i, list] of [batch.actions, ...targets].entries()) {
      if (list.length !== count)
        throw lengthError('accumulateGradients', i ? `${allHeads[i - 1]}Targets` : 'actions', list.length, count);
    }
    for (const [head, list] of Object.entries(batch.weights ?? {})) {
      if (list.length !== count) throw lengthError('accumulateGradients', `weights.${head}`, list.length, count);
    }
    // The lists of weights cover the observations only; rows of padding have weight 0.
    const weights = allHeads.map((head) => (batch.weights?.[head] ?? ones(count)).map((weight) => weight / count));
    const trainer = await (this.#trainer ??= this.#compileTrainer());
    const all = new Float32Array(count * allHeads.length);
    const sums = new Float64Array(allHeads.length);
    const { lossScale } = this.optimizer;
    // Each batch's losses and gradients are divided by the number of all observations, so that their sums are means over all.
    for (const { inputs, rows, items } of this.#ownFeeds(batch.observations, batch.actions)) {
      const { values, losses } = await trainer.run({
        inputs: {
          ...inputs,
          targets: { dims: [rows, allHeads.length], data: interleave(targets, items, rows) },
          weights: { dims: [rows, allHeads.length], data: interleave(weights, items, rows) },
          ...(lossScale !== undefined && { loss_scale: { dims: [], data: [lossScale] } }),
        },
      });
      scatterRows(values.data as Float32Array, items, all, allHeads.length);
      (losses.data as Float32Array).forEach((loss, head) => (sums[head] += loss));
    }
    this.device.ranks.sum(all);
    this.device.ranks.sum(sums);
    const [q1Loss, q2Loss, v1Loss, v2Loss] = sums;
    return { q1Loss, q2Loss, v1Loss, v2Loss, ...splitHeads(all, allHeads, count) };
  }

  /** Makes the encoder's inputs for this rank's share of the observations; their `items` are indices into all observations. */
  #ownFeeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds[] {
    const { begin, end } = shareOf(observations.length, this.device.ranks);
    if (begin === end) return [];
    const sized = (size: number) => (this.device.gpuBuffers === 'exact' ? roundedSize(size, BUFFER_STEPS) : size);
    return this.encoder
      .feeds(observations.slice(begin, end), actions && actions.slice(begin, end), sized)
      .map(({ items, ...feed }) => ({ ...feed, items: items.map((item) => begin + item) }));
  }

  /** Moves the target network towards the online network: target ← (1 − τ) · target + τ · online. τ = 1 copies. */
  async polyak(tau: number): Promise<void> {
    await this.polyakKernel.call({ states: { target: this.targetParameters, online: this.parameters }, args: { tau } });
  }

  /** Writes both networks, the optimizer's state and the encoder's settings; it must be called between optimizer steps. */
  async save(dir: string): Promise<void> {
    await this.encoder.save(dir);
    await writeSafetensors(join(dir, 'online.safetensors'), await readStateDict(this.device, this.parameters));
    await writeSafetensors(join(dir, 'target.safetensors'), await readStateDict(this.device, this.targetParameters));
    await this.optimizer.save(join(dir, 'optimizer.safetensors'));
  }

  /** Restores, bit for bit, the state that `save` wrote. The critic must have been created with the same settings. */
  async restore(dir: string): Promise<void> {
    for (const [file, state] of [
      ['online', this.parameters],
      ['target', this.targetParameters],
    ] as const) {
      const path = join(dir, `${file}.safetensors`);
      await loadStateDict(this.device, state, await readSafetensors(path), { path });
    }
    await this.optimizer.restore(join(dir, 'optimizer.safetensors'));
  }

  /** Writes only the online network: the encoder in its own layout (Hugging Face's for BERT and RoBERTa), the heads apart. */
  async savePretrained(dir: string): Promise<void> {
    const tensors = await this.copyParameters();
    await this.encoder.savePretrained(dir, tensors);
    const isHead = (name: string) => allHeads.some((head) => name.startsWith(`${head}.`));
    await writeSafetensors(
      join(dir, 'heads.safetensors'),
      Object.fromEntries(Object.entries(tensors).filter(([name]) => isHead(name))),
    );
  }

  /** Copies the parameters of the online network to host memory, e.g. to keep the best parameters of a training. */
  async copyParameters(): Promise<HostTensors> {
    return readStateDict(this.device, this.parameters);
  }

  /** Overwrites the online network with what `copyParameters` returned; target network and optimizer do not change. */
  async restoreParameters(tensors: HostTensors): Promise<void> {
    await loadStateDict(this.device, this.parameters, tensors, { path: 'restoreParameters' });
  }

  /** Frees memory while another phase of an iteration runs: the working memory of all the device's sessions, zero gradients. */
  async rest(): Promise<void> {
    if (4 * this.size >= LARGE_BYTES) await this.device.rest([this.optimizer.gradients]);
  }

  /** Frees both networks, the optimizer's state and the programs. */
  async release(): Promise<void> {
    const bound = await Promise.all([...this.#evaluators.values(), ...(this.#trainer ? [this.#trainer] : [])]);
    for (const each of bound) await each.release();
    for (const program of new Set(bound.map((each) => each.program))) await program.release();
    await this.optimizer.release();
    for (const state of [this.parameters, this.targetParameters]) await this.device.release(state);
  }

  #evaluator(which: 'online' | 'target', withActions: boolean): Promise<BoundProgram> {
    const key = `${which} ${withActions}`;
    let evaluator = this.#evaluators.get(key);
    if (!evaluator) {
      evaluator = this.#bindEvaluator(which === 'online' ? this.parameters : this.targetParameters, withActions);
      this.#evaluators.set(key, evaluator);
    }
    return evaluator;
  }

  /** Binds the evaluating program to one of the networks, which so share its working memory. */
  async #bindEvaluator(state: State, withActions: boolean): Promise<BoundProgram> {
    let program = this.#evaluatorPrograms.get(withActions);
    if (!program) this.#evaluatorPrograms.set(withActions, (program = this.#compileEvaluator(withActions)));
    const used = [...(await program).inputs.keys()].filter((name) => state.tensors.has(name));
    return (await program).bind({ state: links(state, used), fetch: ['values'] });
  }

  async #compileEvaluator(withActions: boolean): Promise<Program> {
    const g = new GraphBuilder(withActions ? 'critic' : 'critic_values');
    const parameters = this.#parameterInputs(
      g,
      withActions ? () => true : (name) => !qHeads.some((head) => name.startsWith(`${head}.`)),
    );
    g.output('values', this.#forward(g, parameters, withActions));
    return this.device.compile(g);
  }

  async #compileTrainer(): Promise<BoundProgram> {
    const g = new GraphBuilder('critic_train');
    const parameters = this.#parameterInputs(g, () => true);
    const values = this.#forward(g, parameters, true);
    const error = g.sub(values, g.input('targets', 'float32', ['batch', allHeads.length]));
    const losses = g.reduceSum(g.mul(g.square(error), g.input('weights', 'float32', ['batch', allHeads.length])), {
      axes: [0],
    });
    const names = Object.keys(parameters);
    const upstream = this.optimizer.lossScale === undefined ? undefined : g.input('loss_scale', 'float32', []);
    const wanted = names.map((name) => parameters[name]);
    const grads = gradients(g, g.reduceSum(losses), wanted, { upstream });
    names.forEach((name, i) => g.output(name, grads[i]));
    g.output('values', values);
    g.output('losses', losses);
    const program = await this.device.compile(g);
    return program.bind({
      state: links(this.parameters, names),
      store: links(this.optimizer.gradients, names),
      mode: 'add',
      fetch: ['values', 'losses'],
    });
  }

  /** Builds the computation of the heads' values [batch, heads]. */
  #forward(g: GraphBuilder, parameters: Parameters, withActions: boolean): Value {
    const { q, v } = this.encoder.build(g, parameters, { withActions });
    const values = applyHeads(g, v, parameters, vHeads);
    return g.inFloat32(q ? g.concat([applyHeads(g, q, parameters, qHeads), values], 1) : values);
  }

  #parameterInputs(g: GraphBuilder, accept: (name: string) => boolean): Parameters {
    return parameterInputs(g, Object.fromEntries([...this.parameters.tensors].filter(([name]) => accept(name))));
  }
}

const ones = (count: number) => new Float32Array(count).fill(1);

const links = (state: State, names: readonly string[]) =>
  Object.fromEntries(names.map((name): [string, [State, string]] => [name, [state, name]]));

/** Packs columns into a matrix [rows, columns] whose row i has the numbers of observation items[i]; rows of padding are zero. */
function interleave(columns: readonly Float32Array[], items: readonly number[], rows: number): Float32Array {
  const matrix = new Float32Array(rows * columns.length);
  items.forEach((item, row) => columns.forEach((column, c) => (matrix[row * columns.length + c] = column[item])));
  return matrix;
}

/** Copies the rows of a batch's output to those of their observations in `all`, [count, width], without padding. */
function scatterRows(values: Float32Array, items: readonly number[], all: Float32Array, width: number): void {
  items.forEach((item, row) => all.set(values.subarray(row * width, (row + 1) * width), item * width));
}

/** Splits the outputs [count, heads] into one array per head; arrays of heads that were not evaluated are empty. */
function splitHeads(values: Float32Array, heads: readonly string[], count: number): HeadOutputs {
  const column = (head: string) => {
    const at = heads.indexOf(head);
    return at < 0
      ? new Float32Array(0)
      : Float32Array.from({ length: count }, (_, row) => values[row * heads.length + at]);
  };
  return { q1: column('q1'), q2: column('q2'), v1: column('v1'), v2: column('v2') };
}

const lengthError = (call: string, name: string, found: number, expected: number) =>
  new RangeError(
    `DoubleCritic.${call}: ${name} has ${found} entries, observations has ${expected}; both must be [batch]`,
  );
