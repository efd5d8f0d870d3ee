// Compiles the scoring and training programs of a language model when they are first needed, and binds them to its weights.
import type { BoundProgram, Device, Program, State } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { bankWiring, type AdapterBank } from '../lora/adapter-bank.js';
import { adapterWiring, type AdapterWeights } from '../lora/adapter-graph.js';
import { trainingIntegers, type TrainingIntegers } from '../quantization/integer-training.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { ComputeWeights } from '../weights/compute-weights.js';
import type { SurrogateForm } from './surrogate-gradient.js';
import { gradientName, scoringGraph, trainableParameters, trainingGraph } from './training-graph.js';
import type { ValueHead } from './value-head.js';

export interface TokenProgramsOptions {
  device: Device;
  architecture: CausalArchitecture;
  parameters: State;
  maskedTokenIds: readonly number[];
  /** LoRA adapters; the parameters are frozen then. */
  adapters?: AdapterWeights;
  /** The loaded adapters (a bank), of which each call selects one. */
  bank?: AdapterBank;
  /** Frozen weights in 4 or 8 bits, by name; `parameters` contains the others. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** Weights that are multiplied as integers, forward and backward (see integer-training.ts): those of `quantized`, and heads. */
  integerProducts?: ReadonlyMap<string, QuantizedWeight>;
  /** Whether the backward pass computes blocks again instead of keeping their activations (see training-graph.ts). */
  checkpointing?: boolean;
}

/** The settings in which the compiled graphs of one model differ. */
interface Terms {
  /** Whether some positions have a mask of the tokens that can be chosen. */
  masked: boolean;
  entropy: boolean;
  value: boolean;
  /** Whether the batch is a tree of tokens, which has common prefixes once (see token-tree.ts). */
  tree: boolean;
  /** The number of chunks of queries for which attention is computed in turn. */
  chunks: number;
  /** The number of chunks into which the rows of the LM head are divided in scoring. */
  headChunks: number;
}

type ScoringForm = Pick<Terms, 'masked' | 'tree' | 'chunks' | 'headChunks'>;

interface TrainingTerms extends Terms {
  /** The number of chunks into which the rows of LM head and loss are divided in training. */
  lossChunks: number;
  dropout: boolean;
  /** With a surrogate loss: whether entropies are outputs too (see training-graph.ts). */
  entropies?: boolean;
  reports?: boolean;
}

/** Compiles the scoring and training graphs of a model, keeps them, and binds them to its weights. */
export class TokenPrograms {
  /** The value head; it must be set before a program that computes values is requested. */
  valueHead?: Pick<ValueHead, 'parameters'> & { optimizer: { gradients: State } };
  #integers?: Promise<ReadonlyMap<string, TrainingIntegers>>;
  readonly #scoring = new Map<string, Promise<Program>>();
  /** The bound scoring programs, by the adapters (on, off, or a state with others), then by outputs and settings. */
  readonly #bound = new Map<boolean | State, Map<string, Promise<BoundProgram>>>();
  #training?: { gradients: State; programs: Map<string, Promise<BoundProgram>> };

  constructor(private readonly options: TokenProgramsOptions) {}

  /** Updates the float16 copy of the weights, if there is one; call it before a run if parameters may have changed. */
  refresh(): Promise<void> {
    return this.#weights.refresh();
  }

  get scalesLoss(): boolean {
    return this.options.device.precision === 'float16';
  }

  /**
   * Returns a scoring program, which is compiled once per `form`, and bound for each choice of outputs and of adapters.
   *
   * @param adapters with LoRA: whether the adapters are applied, or a state with other adapters
   */
  async scoring(fetch: string[], form: ScoringForm, adapters: boolean | State = true): Promise<BoundProgram> {
    if (fetch.includes('values') && !this.valueHead)
      throw new Error('values were asked for, and the model has no value head: call createValueHead');
    let programs = this.#bound.get(adapters);
    if (!programs) this.#bound.set(adapters, (programs = new Map()));
    const key = JSON.stringify([fetch, form.masked, form.tree, form.chunks, form.headChunks]);
    let bound = programs.get(key);
    if (!bound) programs.set(key, (bound = this.#bindScoring(fetch, form, adapters)));
    await this.refresh();
    return bound;
  }

  /** Releases the programs that are bound to a state of adapters; call it before that state is released. */
  async releaseAdapters(adapters: State): Promise<void> {
    for (const bound of this.#bound.get(adapters)?.values() ?? []) await (await bound).release();
    this.#bound.delete(adapters);
  }

  async #bindScoring(
    fetch: string[],
    { masked, tree, chunks, headChunks }: ScoringForm,
    adapters: boolean | State,
  ): Promise<BoundProgram> {
    const { device, architecture, bank } = this.options;
    const [entropy, value] = [fetch.includes('entropies'), fetch.includes('values')];
    const terms = { entropy, value, tree, masked, chunks, headChunks };
    const key = JSON.stringify(terms);
    let compiled = this.#scoring.get(key);
    if (!compiled) {
      compiled = this.#graphOptions().then((options) =>
        device.compile(scoringGraph(architecture, { ...options, ...terms, bank: bank?.layout })),
      );
      this.#scoring.set(key, compiled);
    }
    const program = await compiled;
    return program.bind({ state: await this.#wiring(program, adapters), fetch });
  }

  /**
   * Returns a training program, which adds gradients to the tensors of `gradients`; programs for another state are released.
   *
   * @param terms the graph's settings; its `dropout` is that of config.json, the adapters' dropout is independent of it
   */
  async training(gradients: State, terms: TrainingTerms, surrogate?: SurrogateForm): Promise<BoundProgram> {
    if (this.#training?.gradients !== gradients) {
      const former = this.#training;
      this.#training = { gradients, programs: new Map() };
      if (former) await releaseAll(former.programs.values());
    }
    const { programs } = this.#training;
    const key = JSON.stringify([terms, surrogate, surrogate?.valueClip === Infinity]);
    let program = programs.get(key);
    if (!program) programs.set(key, (program = this.#bindTraining(gradients, terms, surrogate)));
    return program;
  }

  async #bindTraining(gradients: State, terms: TrainingTerms, surrogate?: SurrogateForm): Promise<BoundProgram> {
    const { device, architecture, adapters, checkpointing } = this.options;
    const program = await device.compile(
      trainingGraph(architecture, {
        ...(await this.#graphOptions()),
        checkpointing,
        scalesLoss: this.scalesLoss,
        surrogate,
        ...terms,
        sharesBatch: device.ranks.size > 1,
      }),
    );
    const names = trainableParameters(architecture, adapters?.layout).map(({ name }) => name);
    const heads = terms.value ? this.valueHead!.optimizer.gradients : undefined;
    const store = Object.fromEntries([
      ...names.map((name) => [gradientName(name), [gradients, name] as const]),
      ...(heads?.names ?? []).map((name) => [gradientName(name), [heads!, name] as const]),
    ]);
    const further = { entropies: terms.entropies, values: terms.value, reported_logprobs: terms.reports };
    const outputs = Object.entries(further).flatMap(([output, isFetched]) => (isFetched ? [output] : []));
    const fetch = surrogate ? ['logprobs', ...outputs] : ['loss'];
    return program.bind({ state: await this.#wiring(program, true), fetch, store, mode: 'add' });
  }

  async release(): Promise<void> {
    const scoring = [...this.#bound.values()].flatMap((programs) => [...programs.values()]);
    for (const bound of scoring) await (await bound).release();
    for (const program of this.#scoring.values()) await (await program).release();
    await releaseAll(this.#training?.programs.values() ?? []);
  }

  async #graphOptions() {
    const { device, maskedTokenIds, adapters, quantized, integerProducts } = this.options;
    const integers = integerProducts && (await (this.#integers ??= trainingIntegers(device, integerProducts)));
    const shared = { maskedTokenIds, adapters: adapters?.layout, weightType: device.precision };
    return { ...shared, quantized, trainingIntegers: integers };
  }

  /** Connects the inputs of a program to the tensors of the model on the device. Quantised weights are part of the graph. */
  async #wiring({ inputs }: Program, adapterValues: boolean | State) {
    const { architecture } = this.options;
    const adapters = this.options.adapters && {
      ...this.options.adapters,
      ...(typeof adapterValues === 'object' && { parameters: adapterValues }),
    };
    const weights = await this.#weights.state();
    const used = architecture.parameters.filter(({ name }) => inputs.has(name));
    const base = Object.fromEntries(used.map(({ name }) => [name, [weights, name] as const]));
    const head = inputs.has('value_positions') ? this.valueHead!.parameters : undefined;
    const values = Object.fromEntries((head?.names ?? []).map((name) => [name, [head!, name] as const]));
    return {
      ...base,
      ...values,
      ...bankWiring(this.options.bank, inputs),
      ...adapterWiring(adapters, adapterValues === false ? 'off' : 'on'),
    };
  }

  get #weights(): ComputeWeights {
    return ComputeWeights.of(this.options.device, this.options.parameters);
  }
}

/** Releases bound programs, and the compiled programs to which they belong. */
async function releaseAll(bindings: Iterable<Promise<BoundProgram>>): Promise<void> {
  for (const binding of bindings) {
    const bound = await binding;
    await bound.release();
    await bound.program.release();
  }
}
