// Runs the training and scoring graphs of a language model over batches of token examples.
import type { BoundProgram, Device, InputTensor, Program, State } from '@bowyer/graph';
import type { Rng, ScoredTokens, TokenLoss } from '@bowyer/core';
import { contextLimit, type CausalArchitecture } from '../architecture/architecture.js';
import { adapterWiring, type AdapterWeights } from '../lora/adapter-graph.js';
import { trainingIntegers, type TrainingIntegers } from '../quantization/integer-training.js';
import type { QuantizedWeight } from '../quantization/quantized-weight.js';
import { ownRows, type OwnRows } from '../batching/own-rows.js';
import { withoutEmptyRows } from '../batching/without-empty-rows.js';
import { tokenBatches, type TokenBatch, type TokenExample } from '../batching/token-batches.js';
import { drops, gradientName, scoringGraph, trainableParameters, trainingGraph } from './training-graph.js';
import type { SurrogateForm, SurrogateLoss } from './surrogate-gradient.js';
import { areRestricted, scoringInputs } from './scoring-inputs.js';
import { MICRO_BATCH_TOKENS, surrogateInputs } from './surrogate-inputs.js';
import type { ValueHead } from './value-head.js';
import { ComputeWeights } from '../weights/compute-weights.js';

export interface BatchOptions {
  /** Tokens with padding that one micro-batch may contain; longer batches are split. Infinity if not given. */
  maxTokens?: number;
}

export interface GradientOptions extends BatchOptions {
  /** What gradients are multiplied by on a device that calculates in float16 (see loss-scaling.ts); 1 if not given. */
  lossScale?: number;
}

export interface ScoringBatchOptions extends BatchOptions {
  /** With LoRA: false scores with the base alone, a state with other values of the adapters in the same session. True if not given. */
  adapters?: boolean | State;
  /** Tokens that several examples begin with are computed once, on the CPU and without recurrent layers. False if not given. */
  sharesPrefixes?: boolean;
}

export interface LossOptions extends GradientOptions {
  /** The loss function is given entropies, and may return a gradient by them. False if not given. */
  entropies?: boolean;
  /**
   * The same loss in a form that the training graph calculates itself. Where it can (float32 on the CPU), examples are not scored
   * before they are differentiated, and tokens that examples begin with together are computed once.
   */
  surrogate?: SurrogateLoss;
}

export interface TokenScores {
  /** [tokens] as `TokenScorer.logprobs` gives them. */
  logprobs: Float32Array;
  /** The first ten logits (or all of a smaller vocabulary) at the first scored position. */
  logitsHead: Float32Array;
}

export interface TokenScorerOptions {
  device: Device;
  architecture: CausalArchitecture;
  parameters: State;
  maskedTokenIds: readonly number[];
  padTokenId: number;
  /** LoRA beside the parameters, which are frozen then. */
  adapters?: AdapterWeights;
  /** Frozen weights in 4 or 8 bits, by name; `parameters` contains the others. */
  quantized?: ReadonlyMap<string, QuantizedWeight>;
  /** Weights whose products multiply integers, forward and backward (see integer-training.ts): those of `quantized`, and heads. */
  integerProducts?: ReadonlyMap<string, QuantizedWeight>;
  /** If given, the training graph applies the dropout of config.json, with masks from these numbers. */
  dropoutRng?: Pick<Rng, 'integer'>;
  /** Blocks are computed again in the backward pass instead of being kept (see training-graph.ts). */
  checkpointing?: boolean;
  /** Into how many chunks the loss's rows are cut, so that only one chunk of logits is in memory. */
  lossChunks?: number;
}

/** What a scoring pass gives for each token. */
type TokenOutput = 'logprobs' | 'entropies' | 'values';

/** Which further terms a compiled graph has. */
interface Terms {
  entropy: boolean;
  value: boolean;
  /** Rows begin with tokens that are an input of their own. */
  prefix: boolean;
  /** Some positions choose among some tokens only. */
  restricted: boolean;
}

export class TokenScorer {
  /** Read by the graphs that have a value; set before those are used. */
  valueHead?: Pick<ValueHead, 'parameters'> & { optimizer: { gradients: State } };
  #integers?: Promise<ReadonlyMap<string, TrainingIntegers>>;
  readonly #scoring = new Map<string, Promise<Program>>();
  /** By the adapters' values, then by outputs. */
  readonly #bound = new Map<boolean | State, Map<string, Promise<BoundProgram>>>();
  #training?: { gradients: State; programs: Map<string, Promise<BoundProgram>> };

  /** As `TokenScorerOptions.dropoutRng`; set before the first gradient. */
  dropoutRng?: Pick<Rng, 'integer'>;

  constructor(private readonly options: TokenScorerOptions) {
    this.dropoutRng = options.dropoutRng;
  }

  /**
   * Per example and position log p(target) in nats; 0 where the weight is 0.
   *
   * @returns one array [tokens] per example
   */
  async logprobs(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<Float32Array[]> {
    const [logprobs] = await this.#score(examples, ['logprobs'], options);
    return logprobs;
  }

  /**
   * Per example and position V of what has been read up to there; 0 where the weight of V is 0.
   *
   * @returns one array [tokens] per example
   */
  async values(
    examples: readonly TokenExample[],
    { maxTokens = Infinity }: BatchOptions = {},
  ): Promise<Float32Array[]> {
    const [values] = await this.#score(examples, ['values'], { maxTokens });
    return values;
  }

  /**
   * As `logprobs`, and beside them the first logits at each example's first scored position: what two implementations
   * can be compared by. Every example must score something.
   */
  async scores(
    examples: readonly TokenExample[],
    { maxTokens = Infinity, adapters }: ScoringBatchOptions = {},
  ): Promise<TokenScores[]> {
    this.#check(examples);
    const restricted = areRestricted(examples);
    const program = await this.#scoringProgram(['logprobs', 'logits_head'], { restricted, prefix: false }, adapters);
    const results: TokenScores[] = examples.map(({ ids }) => ({
      logprobs: new Float32Array(ids.length),
      logitsHead: new Float32Array(0),
    }));
    for (const batch of tokenBatches(examples, { maxTokens, padTokenId: this.options.padTokenId })) {
      const outputs = await program.run({ inputs: scoringInputs(batch, { restricted }) });
      const heads = outputs.logits_head.data as Float32Array;
      const width = outputs.logits_head.dims[1];
      batch.scoredPositions.forEach((position, i) => {
        const result = results[batch.examples[Math.floor(position / batch.columns)]];
        result.logprobs[position % batch.columns] = outputs.logprobs.data[i] as number;
        if (result.logitsHead.length === 0) result.logitsHead = heads.slice(i * width, (i + 1) * width);
      });
    }
    return results;
  }

  /** @returns of each output one array [tokens] per example: those of all ranks, each of which computes its rows */
  async #score(
    examples: readonly TokenExample[],
    outputs: TokenOutput[],
    { maxTokens = Infinity, adapters, sharesPrefixes = false }: ScoringBatchOptions,
  ): Promise<Float32Array[][]> {
    this.#check(examples);
    const restricted = areRestricted(examples);
    const results = outputs.map(() => examples.map(({ ids }) => new Float32Array(ids.length)));
    const isShared = sharesPrefixes && this.#sharesPrefixes && this.options.device.kind === 'cpu';
    for (const { batch } of this.#batches(examples, maxTokens, isShared)) {
      if (batch.rows === 0) continue;
      const terms = { value: outputs.includes('values'), restricted, prefix: batch.prefix.length > 0 };
      const program = await this.#scoringProgram(outputs, terms, adapters);
      const found = await program.run({ inputs: scoringInputs(this.#runnable(batch), terms) });
      outputs.forEach((output, o) => spreadOutput(output, found[output].data as Float32Array, batch, results[o]));
    }
    this.#joinRanks(results.flat());
    return results;
  }

  /**
   * Adds the gradient of a loss that is a function of log-probabilities: the examples are scored, `lossOf` gives dL/dlogprob, and
   * the backward pass runs with weights = −dL/dlogprob, whose Σ weights · (−log p) has that gradient. The tokens of the loss are the
   * positions with a weight, example by example; what the weight is does not matter. So it is with the values and their weights, whose
   * gradient goes through the value head into the trunk.
   *
   * @returns what `lossOf` returned
   */
  async accumulateLogprobGradients<Loss extends TokenLoss>(
    examples: readonly TokenExample[],
    lossOf: (tokens: ScoredTokens) => Loss,
    gradients: State,
    { maxTokens, lossScale, entropies = false, surrogate }: LossOptions = {},
  ): Promise<Loss> {
    const { dropoutRng } = this;
    const { adapters } = this.options;
    if (drops(dropoutRng !== undefined, adapters?.layout))
      throw new Error(
        'accumulateLogprobGradients: this model trains with dropout, so the log-probabilities that the loss is computed from are not ' +
          'those of the backward pass; load it without dropout (lora.dropout=0, no dropoutRng)',
      );
    if (surrogate && this.#calculatesLosses)
      return lossOf(await this.#accumulateSurrogate(examples, gradients, surrogate, maxTokens));
    const outputs: TokenOutput[] = ['logprobs'];
    if (entropies) outputs.push('entropies');
    if (examples.some(({ valueWeights }) => valueWeights !== undefined)) outputs.push('values');
    const rows = await this.#score(examples, outputs, { maxTokens });
    const tokensOf = (output: TokenOutput) =>
      outputs.includes(output) ? lossTokens(examples, output, rows[outputs.indexOf(output)]) : new Float32Array(0);
    const loss = lossOf({
      logprobs: tokensOf('logprobs'),
      entropies: tokensOf('entropies'),
      values: tokensOf('values'),
    });
    const weighted = withLossGradient(examples, loss);
    await this.accumulateGradients(weighted, gradients, { maxTokens, lossScale });
    return loss;
  }

  /** One pass for a loss that the graph calculates. @returns what core's losses are computed from */
  async #accumulateSurrogate(
    examples: readonly TokenExample[],
    gradients: State,
    loss: SurrogateLoss,
    maxTokens: number = MICRO_BATCH_TOKENS,
  ): Promise<ScoredTokens> {
    this.#check(examples);
    const hasValues = loss.form.valueClip !== null;
    const outputs: TokenOutput[] = ['logprobs', 'entropies', ...(hasValues ? ['values' as const] : [])];
    const rows = outputs.map(() => examples.map(({ ids }) => new Float32Array(ids.length)));
    const inputsOf = surrogateInputs(examples, loss);
    const restricted = areRestricted(examples);
    await this.#weights.refresh();
    for (const { batch } of this.#batches(examples, maxTokens, this.#sharesPrefixes)) {
      if (batch.rows === 0) continue;
      const terms = {
        ...{ entropy: loss.form.hasEntropyBonus, value: hasValues },
        ...{ prefix: batch.prefix.length > 0, restricted },
      };
      const program = await this.#trainingProgram(gradients, terms, loss.form);
      const found = await program.run({ inputs: { ...scoringInputs(batch, terms), ...inputsOf(batch) } });
      outputs.forEach((output, o) => spreadOutput(output, found[output].data as Float32Array, batch, rows[o]));
    }
    this.#joinRanks(rows.flat());
    const tokensOf = (output: TokenOutput) =>
      outputs.includes(output) ? lossTokens(examples, output, rows[outputs.indexOf(output)]) : new Float32Array(0);
    return { logprobs: tokensOf('logprobs'), entropies: tokensOf('entropies'), values: tokensOf('values') };
  }

  /** Adds the gradient of Σ weights · (−log p) into `gradients`, and returns that sum in nats. */
  async accumulateGradients(
    examples: readonly TokenExample[],
    gradients: State,
    { maxTokens = Infinity, lossScale = 1 }: GradientOptions = {},
  ): Promise<{ loss: number }> {
    this.#check(examples);
    const terms = {
      entropy: examples.some(({ entropyWeights }) => entropyWeights !== undefined),
      value: examples.some(({ valueWeights }) => valueWeights !== undefined),
      prefix: false,
      restricted: areRestricted(examples),
    };
    const program = await this.#trainingProgram(gradients, terms);
    await this.#weights.refresh();
    const scale: Record<string, InputTensor> = this.#scalesLoss ? { loss_scale: { dims: [], data: [lossScale] } } : {};
    const loss = new Float64Array(1);
    for (const { batch: own, firstRow } of this.#batches(examples, maxTokens)) {
      const dropout = this.#dropoutInputs(firstRow); // the numbers of every batch are drawn on every rank
      if (own.rows === 0) continue;
      const batch = this.#runnable(own);
      const scored = [batch.weights.length];
      const outputs = await program.run({
        inputs: {
          ...scoringInputs(batch, terms),
          weights: { dims: scored, data: batch.weights },
          ...(terms.entropy && { entropy_weights: { dims: scored, data: batch.entropyWeights } }),
          ...(terms.value && { value_weights: { dims: [batch.valueWeights.length], data: batch.valueWeights } }),
          ...scale,
          ...dropout,
        },
      });
      loss[0] += outputs.loss.data[0] as number;
    }
    this.options.device.ranks.sum(loss);
    return { loss: loss[0] };
  }

  /** The batches of a call with this rank's rows of each. `maxTokens` is of one process: ranks that compute together take more. */
  #batches(examples: readonly TokenExample[], maxTokens: number, sharesPrefixes = false): OwnRows[] {
    const { padTokenId, device } = this.options;
    const batches = tokenBatches(examples, { maxTokens: maxTokens * device.ranks.size, padTokenId, sharesPrefixes });
    return ownRows(batches, device.ranks);
  }

  /** ONNX Runtime's webgpu provider refuses tensors without elements; a position of weight 0 changes no sum. */
  #runnable(batch: TokenBatch): TokenBatch {
    return this.options.device.kind === 'webgpu' ? withoutEmptyRows(batch) : batch;
  }

  /** Whether a training graph may contain the loss: in float16 its gradient would be scaled first and computed afterwards. */
  get #calculatesLosses(): boolean {
    const { kind, precision } = this.options.device;
    return kind === 'cpu' && precision === 'float32';
  }

  /** Recurrent layers would have to take their states from the prefix. */
  get #sharesPrefixes(): boolean {
    return (this.options.architecture.states ?? []).length === 0;
  }

  /** Numbers that every rank has at its own rows, and zeros elsewhere, become those of all. */
  #joinRanks(rows: readonly Float32Array[]): void {
    const { ranks } = this.options.device;
    if (ranks.size === 1) return;
    const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
    let start = 0;
    for (const row of rows) {
      all.set(row, start);
      start += row.length;
    }
    ranks.sum(all);
    start = 0;
    for (const row of rows) row.set(all.subarray(start, (start += row.length)));
  }

  get #weights(): ComputeWeights {
    return ComputeWeights.of(this.options.device, this.options.parameters);
  }

  get #scalesLoss(): boolean {
    return this.options.device.precision === 'float16';
  }

  /** One session, bound once for each choice of outputs and of the adapters' values. */
  async #scoringProgram(
    fetch: string[],
    form: Pick<Terms, 'restricted' | 'prefix'>,
    adapters: boolean | State = true,
  ): Promise<BoundProgram> {
    if (fetch.includes('values') && !this.valueHead)
      throw new Error('values were asked for, and the model has no value head: call createValueHead');
    let programs = this.#bound.get(adapters);
    if (!programs) this.#bound.set(adapters, (programs = new Map()));
    const key = JSON.stringify([fetch, form.restricted, form.prefix]);
    let bound = programs.get(key);
    if (!bound) programs.set(key, (bound = this.#bindScoring(fetch, form, adapters)));
    await this.#weights.refresh();
    return bound;
  }

  /** To be called before a state that adapters were read from is released. */
  async releaseAdapters(adapters: State): Promise<void> {
    for (const bound of this.#bound.get(adapters)?.values() ?? []) await (await bound).release();
    this.#bound.delete(adapters);
  }

  async #bindScoring(
    fetch: string[],
    { restricted, prefix }: Pick<Terms, 'restricted' | 'prefix'>,
    adapters: boolean | State,
  ): Promise<BoundProgram> {
    const { device, architecture } = this.options;
    const [entropy, value] = [fetch.includes('entropies'), fetch.includes('values')];
    const terms = { entropy, value, prefix, restricted };
    const key = JSON.stringify(terms);
    let compiled = this.#scoring.get(key);
    if (!compiled) {
      compiled = this.#graphOptions().then((options) =>
        device.compile(scoringGraph(architecture, { ...options, ...terms })),
      );
      this.#scoring.set(key, compiled);
    }
    const program = await compiled;
    return program.bind({ state: await this.#wiring(program, adapters), fetch });
  }

  /** Bound for one gradient state at a time. */
  #trainingProgram(gradients: State, terms: Terms, surrogate?: SurrogateForm): Promise<BoundProgram> {
    if (this.#training?.gradients !== gradients) this.#training = { gradients, programs: new Map() };
    const { programs } = this.#training;
    const key = JSON.stringify([terms, surrogate, surrogate?.valueClip === Infinity]);
    let program = programs.get(key);
    if (!program) programs.set(key, (program = this.#bindTraining(gradients, terms, surrogate)));
    return program;
  }

  async #bindTraining(gradients: State, terms: Terms, surrogate?: SurrogateForm): Promise<BoundProgram> {
    const { device, architecture, adapters, checkpointing, lossChunks } = this.options;
    const dropout = this.dropoutRng !== undefined;
    const program = await device.compile(
      trainingGraph(architecture, {
        ...(await this.#graphOptions()),
        ...{ dropout, checkpointing, lossChunks, scalesLoss: this.#scalesLoss, surrogate, ...terms },
        sharesBatch: device.ranks.size > 1,
      }),
    );
    const names = trainableParameters(architecture, adapters?.layout).map(({ name }) => name);
    const heads = terms.value ? this.valueHead!.optimizer.gradients : undefined;
    const store = Object.fromEntries([
      ...names.map((name) => [gradientName(name), [gradients, name] as const]),
      ...(heads?.names ?? []).map((name) => [gradientName(name), [heads!, name] as const]),
    ]);
    const outputs = ['logprobs', 'entropies', ...(terms.value ? ['values'] : [])];
    const fetch = surrogate ? outputs : ['loss'];
    return program.bind({ state: await this.#wiring(program, true), fetch, store, mode: 'add' });
  }

  /** Frees the compiled graphs. */
  async release(): Promise<void> {
    const training = [...(this.#training?.programs.values() ?? [])];
    const scoring = [...this.#bound.values()].flatMap((programs) => [...programs.values()]);
    for (const bound of [...scoring, ...training]) await (await bound).release();
    for (const program of this.#scoring.values()) await (await program).release();
    for (const bound of training) await (await bound).program.release();
  }

  async #graphOptions() {
    const { device, maskedTokenIds, adapters, quantized, integerProducts } = this.options;
    const integers = integerProducts && (await (this.#integers ??= trainingIntegers(device, integerProducts)));
    const shared = { maskedTokenIds, adapters: adapters?.layout, weightType: device.precision };
    return { ...shared, quantized, trainingIntegers: integers };
  }

  /** Graph input ← state; a quantised weight is no input. */
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
    return { ...base, ...values, ...adapterWiring(adapters, adapterValues === false ? 'off' : 'on') };
  }

  #dropoutInputs(firstRow: number): Record<string, InputTensor> {
    const { dropoutRng } = this;
    const { adapters, device } = this.options;
    if (!drops(dropoutRng !== undefined, adapters?.layout)) return {};
    const rng = (dropoutRng ?? adapters?.dropoutRng)!;
    return {
      dropout_seed: { dims: [], data: [rng.integer(0, 2 ** 31 - 2)] },
      ...(device.ranks.size > 1 && { dropout_first_row: { dims: [], data: [firstRow] } }),
    };
  }

  #check(examples: readonly TokenExample[]): void {
    const { architecture, maskedTokenIds } = this.options;
    const masked = new Set(maskedTokenIds);
    examples.forEach(({ ids, targets, weights, allowedIds }, index) => {
      if (ids.length > architecture.contextLength)
        throw new RangeError(
          `example ${index} has ${ids.length} tokens; ${contextLimit(architecture)}; keep the last ones`,
        );
      const unknown = ids.find((id) => !(id >= 0 && id < architecture.vocabSize));
      if (unknown !== undefined)
        throw new RangeError(
          `example ${index} contains the token id ${unknown}; the vocabulary has ${architecture.vocabSize} tokens`,
        );
      const impossible = targets.findIndex(
        (target, t) => weights[t] !== 0 && (masked.has(target) || !(target >= 0 && target < architecture.vocabSize)),
      );
      if (impossible >= 0)
        throw new RangeError(
          `example ${index} scores the token id ${targets[impossible]} at position ${impossible}, which the policy cannot generate (masked, or outside the vocabulary)`,
        );
      const forbidden =
        allowedIds?.findIndex((own, t) => weights[t] !== 0 && own?.includes(targets[t]) === false) ?? -1;
      if (forbidden >= 0)
        throw new RangeError(
          `example ${index} scores the token id ${targets[forbidden]} at position ${forbidden}, which is not among the allowed ones there`,
        );
    });
  }
}

/** The weights whose positions an output is of. */
const weightsFor = (output: TokenOutput, { weights, valueWeights }: TokenExample): Float32Array =>
  output === 'values' ? (valueWeights ?? new Float32Array(0)) : weights;

/** What a loss is given of an output: its numbers at the positions with a weight, example by example. */
function lossTokens(
  examples: readonly TokenExample[],
  output: TokenOutput,
  rows: readonly Float32Array[],
): Float32Array {
  return Float32Array.from(
    examples.flatMap((example, e) => {
      const weights = weightsFor(output, example);
      return [...rows[e]].filter((_, t) => weights.length > 0 && weights[t] !== 0);
    }),
  );
}

/** The examples with weights whose Σ weights · (−log p) + Σ entropyWeights · (−H) + Σ valueWeights · V has the loss's gradient. */
function withLossGradient(examples: readonly TokenExample[], loss: TokenLoss): TokenExample[] {
  const { gradient, entropyGradient, valueGradient } = loss;
  const spread = (name: string, output: TokenOutput, from: Float32Array, sign: 1 | -1) => {
    let n = 0;
    const spreadOver = examples.map((example) =>
      weightsFor(output, example).map((weight) => (weight === 0 ? 0 : sign * (from[n++] ?? 0))),
    );
    if (from.length !== n)
      throw new RangeError(
        `accumulateLogprobGradients: the loss's ${name} has ${from.length} entries for ${n} ${output === 'values' ? 'values' : 'scored tokens'}`,
      );
    return spreadOver;
  };
  const weights = spread('gradient', 'logprobs', gradient, -1);
  const entropyWeights = entropyGradient && spread('entropyGradient', 'entropies', entropyGradient, -1);
  const valueWeights = valueGradient && spread('valueGradient', 'values', valueGradient, 1);
  return examples.map(({ ids, targets, allowedIds }, e) => ({
    ...{ ids, targets, allowedIds, weights: weights[e], entropyWeights: entropyWeights?.[e] },
    valueWeights: valueWeights?.[e].length ? valueWeights[e] : undefined,
  }));
}

/** Numbers of a batch's scored (or valued) positions into the rows of its examples, [examples] of [tokens]. */
function spreadOutput(output: TokenOutput, data: Float32Array, batch: TokenBatch, rows: readonly Float32Array[]): void {
  const { examples, columns, prefix } = batch;
  const positions = output === 'values' ? batch.valuePositions : batch.scoredPositions;
  positions.forEach((position, i) => {
    rows[examples[Math.floor(position / columns)]][prefix.length + (position % columns)] = data[i];
  });
}
