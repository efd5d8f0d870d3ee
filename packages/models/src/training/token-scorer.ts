// Scores examples (token sequences with targets and weights) by a language model, and accumulates gradients of their losses,
// batch by batch.
import type { BoundProgram, InputTensor, State } from '@bowyer/graph';
import type { Rng, ScoredTokens, TokenLoss } from '@bowyer/core';
import { chunksOf } from '../layers/attention.js';
import { headChunksOf } from '../layers/row-chunks.js';
import { ownRows, type OwnRows } from '../batching/own-rows.js';
import { BUFFER_STEPS } from '../batching/few-sizes.js';
import { gpuBatch } from '../batching/gpu-batch.js';
import { tokenBatchesInSteps, type TokenBatch, type TokenExample } from '../batching/token-batches.js';
import type { LoadedAdapter } from '../lora/adapter-bank.js';
import { PLACES } from '../lora/adapter-bank-graph.js';
import { checkExamples } from './check-examples.js';
import { lossTokens, spreadOutput, spreadReported, withLossGradient, type TokenOutput } from './loss-tokens.js';
import { reportedBatch, reportedInputs, isMasked, scoringInputs } from './scoring-inputs.js';
import type { SurrogateLoss } from './surrogate-gradient.js';
import { surrogateInputs } from './surrogate-inputs.js';
import {
  column,
  columnExamples,
  formOf,
  hostWeights,
  learnedExamples,
  lossInputs,
  type TargetedTokens,
  type TokenLosses,
} from './token-losses.js';
import { microBatchTokens } from './micro-batch-tokens.js';
import { TokenPrograms, type TokenProgramsOptions } from './token-programs.js';
import { drops } from './training-graph.js';

export interface BatchOptions {
  /** The most tokens of a micro-batch, padding included; larger batches are split. Infinity if not given. */
  maxTokens?: number;
}

/**
 * The options of computing gradients. Without `maxTokens`, micro-batches on the CPU have at most `microBatchTokens` tokens, or a
 * single longer example.
 */
export interface GradientOptions extends BatchOptions {
  /** Whether common prefixes are computed once (see `ScoringBatchOptions`). Not with dropout: its masks differ by example. */
  sharesPrefixes?: boolean;
  /** The factor of gradients on a device that computes in float16 (see loss-scaling.ts); 1 if not given. */
  lossScale?: number;
}

export interface ScoringBatchOptions extends BatchOptions {
  /** With LoRA: whether adapters are applied, or a state with other adapters of the same shapes to apply. True if not given. */
  adapters?: boolean | State;
  /** One of the adapters that are loaded into the model's bank; null or omitted: the base model alone. */
  adapter?: LoadedAdapter | null;
  /**
   * Whether the prefixes that several examples have in common are computed once; on the CPU only. Recurrent layers still compute
   * whole sequences; attention, convolutions and token-wise layers do not. False if not given.
   */
  sharesPrefixes?: boolean;
}

export interface LossOptions extends GradientOptions {
  /** Whether entropies are computed for the loss function, which may return a gradient by them. False if not given. */
  entropies?: boolean;
  /**
   * The loss in a form that the training graph can compute, in addition to the loss function. If the device supports it (float32
   * on the CPU), the graph is used: examples need no separate scoring pass, and common prefixes are computed once.
   */
  surrogate?: SurrogateLoss;
}

export interface TokenScores {
  /** [tokens] log p of the target at each position in nats; 0 where the weight is 0. */
  logprobs: Float32Array;
  /** The first ten logits (all, if the vocabulary is smaller) at the first scored position. */
  logitsHead: Float32Array;
}

interface TokenScorerOptions extends TokenProgramsOptions {
  padTokenId: number;
  /** The least number of chunks of the loss's rows; the logits of only one chunk are in memory at a time. */
  lossChunks?: number;
  /** If given, the training graph applies the dropout of config.json with masks from this generator. */
  dropoutRng?: Pick<Rng, 'integer'>;
}

/** Scores examples by a language model, and adds the gradients of their losses to a state of gradients. */
export class TokenScorer {
  readonly #programs: TokenPrograms;

  /** If given, training applies the dropout of config.json with masks from this generator; set it before the first gradient. */
  dropoutRng?: Pick<Rng, 'integer'>;

  constructor(private readonly options: TokenScorerOptions) {
    this.#programs = new TokenPrograms(options);
    this.dropoutRng = options.dropoutRng;
  }

  get valueHead(): TokenPrograms['valueHead'] {
    return this.#programs.valueHead;
  }

  set valueHead(head: TokenPrograms['valueHead']) {
    this.#programs.valueHead = head;
  }

  /** Computes log p(target) in nats, [examples] of [tokens]; 0 where the weight is 0. */
  async logprobs(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<Float32Array[]> {
    const [logprobs] = await this.#score(examples, ['logprobs'], options);
    return logprobs;
  }

  /** Computes the value head's V after each position's token is read, [examples] of [tokens]; 0 where the weight of V is 0. */
  async values(
    examples: readonly TokenExample[],
    { maxTokens = Infinity }: BatchOptions = {},
  ): Promise<Float32Array[]> {
    const [values] = await this.#score(examples, ['values'], { maxTokens });
    return values;
  }

  /** Returns `logprobs`, and the first logits at each example's first scored position, which it must have, for comparisons. */
  async scores(
    examples: readonly TokenExample[],
    { maxTokens = Infinity, adapters, adapter }: ScoringBatchOptions = {},
  ): Promise<TokenScores[]> {
    checkExamples(examples, this.options);
    const masked = isMasked(examples);
    const results: TokenScores[] = examples.map(({ ids }) => ({
      logprobs: new Float32Array(ids.length),
      logitsHead: new Float32Array(0),
    }));
    for (const batch of tokenBatchesInSteps(examples, { maxTokens, padTokenId: this.options.padTokenId })) {
      const form = { masked, tree: false, ...this.#chunks(batch) };
      const program = await this.#programs.scoring(['logprobs', 'logits_head'], form, adapters);
      const inputs = { ...this.#inputs(program, this.#runnable(batch), { masked }), ...this.#adapterInput(adapter) };
      const outputs = await program.run({ inputs });
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

  /** Returns one array [tokens] per output and example, from all ranks, each of which computes some rows of every batch. */
  async #score(
    examples: readonly TokenExample[],
    outputs: TokenOutput[],
    { maxTokens = Infinity, adapters, adapter, sharesPrefixes = false }: ScoringBatchOptions,
  ): Promise<Float32Array[][]> {
    checkExamples(examples, this.options);
    const masked = isMasked(examples);
    const results = outputs.map(() => examples.map(({ ids }) => new Float32Array(ids.length)));
    const isShared = sharesPrefixes && this.options.device.kind === 'cpu';
    for (const { batch } of this.#batches(examples, maxTokens, isShared)) {
      if (batch.rows === 0) continue;
      const terms = {
        value: outputs.includes('values'),
        masked,
        tree: batch.tree !== undefined,
        ...this.#chunks(batch),
      };
      const program = await this.#programs.scoring(outputs, terms, adapters);
      const inputs = {
        ...this.#inputs(program, this.#runnable(batch), terms),
        ...this.#adapterInput(adapter),
      };
      const found = await program.run({ inputs });
      outputs.forEach((output, o) => spreadOutput(output, found[output].data as Float32Array, batch, results[o]));
    }
    this.#joinRanks(results.flat());
    return results;
  }

  /**
   * Adds the gradient of a loss that is a function of log-probabilities: scores the examples, calls `lossOf` for dL/dlogprob, and runs
   * the backward pass with weights = −dL/dlogprob, for which Σ weights · (−log p) has the same gradient. The tokens of the loss are
   * the positions with a weight other than 0, example by example; the size of the weight does not matter. Values and their weights are
   * treated in the same way; their gradient goes through the value head into the trunk.
   *
   * @returns the result of `lossOf`
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
      return lossOf(await this.#accumulateSurrogate(examples, gradients, surrogate, { maxTokens, entropies }));
    const outputs: TokenOutput[] = ['logprobs'];
    if (entropies) outputs.push('entropies');
    if (examples.some(({ valueWeights }) => valueWeights !== undefined)) outputs.push('values');
    const rows = await this.#score(examples, outputs, { maxTokens });
    const loss = lossOf(lossTokens(examples, outputs, rows));
    const weighted = withLossGradient(examples, loss);
    await this.accumulateGradients(weighted, gradients, { maxTokens, lossScale });
    return loss;
  }

  /**
   * Adds the gradient of a loss that the training graph computes, in one pass.
   *
   * @returns log-probabilities, entropies and values of the scored tokens, from which the caller computes metrics
   */
  async #accumulateSurrogate(
    examples: readonly TokenExample[],
    gradients: State,
    loss: SurrogateLoss,
    { maxTokens = this.#microBatchTokens, entropies }: { maxTokens?: number; entropies: boolean },
  ): Promise<ScoredTokens> {
    checkExamples(examples, this.options);
    const hasValues = loss.form.valueClip !== null;
    const outputs: TokenOutput[] = ['logprobs'];
    if (entropies) outputs.push('entropies');
    if (hasValues) outputs.push('values');
    const rows = outputs.map(() => examples.map(({ ids }) => new Float32Array(ids.length)));
    const inputsOf = surrogateInputs(examples, loss);
    const masked = isMasked(examples);
    await this.#programs.refresh();
    for (const { batch } of this.#batches(examples, maxTokens, true)) {
      if (batch.rows === 0) continue;
      const terms = {
        entropy: loss.form.hasEntropyBonus,
        entropies,
        value: hasValues,
        dropout: false,
        tree: batch.tree !== undefined,
        masked,
        ...this.#chunks(batch),
      };
      const program = await this.#programs.training(gradients, terms, loss.form);
      const found = await program.run({ inputs: { ...this.#inputs(program, batch, terms), ...inputsOf(batch) } });
      outputs.forEach((output, o) => spreadOutput(output, found[output].data as Float32Array, batch, rows[o]));
    }
    this.#joinRanks(rows.flat());
    return lossTokens(examples, outputs, rows);
  }

  /**
   * Adds the gradient of losses that are sums over tokens. On the CPU in float32, the graph computes the losses, common prefixes are
   * computed once, and tokens without a gradient go through the LM head in the forward pass alone.
   *
   * @returns [examples] of [tokens × width] log p of every target in nats, before the optimizer step
   */
  async accumulateTokenLosses(
    examples: readonly TargetedTokens[],
    losses: TokenLosses,
    gradients: State,
    { maxTokens, lossScale }: Pick<GradientOptions, 'maxTokens' | 'lossScale'> = {},
  ): Promise<Float32Array[]> {
    if (this.#calculatesLosses && this.options.device.ranks.size === 1)
      return this.#accumulateInGraph(examples, losses, gradients, maxTokens);
    const { width } = losses;
    const rows = await this.targetLogprobs(examples, width, { maxTokens });
    const weights = width === 1 ? hostWeights(losses, rows) : losses.weights;
    for (let k = 0; k < width; k++) {
      const weighted = columnExamples(examples, k, width).map((example, e) => ({
        ...example,
        weights: column(weights[e], k, width),
      }));
      await this.accumulateGradients(weighted, gradients, { maxTokens, lossScale });
    }
    return rows;
  }

  /**
   * Computes the log-probability of every target, for examples with several targets per position.
   *
   * @param options.maxTokens that of training if not given, since every position has logits, which are as wide as the vocabulary
   * @returns [examples] of [tokens × width] log p of every target in nats
   */
  async targetLogprobs(
    examples: readonly TargetedTokens[],
    width: number,
    { maxTokens = this.#microBatchTokens, ...options }: ScoringBatchOptions = {},
  ): Promise<Float32Array[]> {
    if (width === 1) return this.logprobs(columnExamples(examples, 0, 1), { ...options, maxTokens });
    const rows = examples.map(({ targets }) => new Float32Array(targets.length));
    for (let k = 0; k < width; k++) {
      const found = await this.logprobs(columnExamples(examples, k, width), { ...options, maxTokens });
      found.forEach((own, e) => own.forEach((logprob, t) => (rows[e][t * width + k] = logprob)));
    }
    return rows;
  }

  async #accumulateInGraph(
    targeted: readonly TargetedTokens[],
    losses: TokenLosses,
    gradients: State,
    maxTokens = this.#microBatchTokens,
  ): Promise<Float32Array[]> {
    const { width } = losses;
    for (let k = 0; k < width; k++) checkExamples(columnExamples(targeted, k, width), this.options);
    const examples = learnedExamples(targeted, losses);
    const rows = targeted.map(({ targets }) => new Float32Array(targets.length));
    const inputsOf = lossInputs(targeted, losses);
    const { padTokenId } = this.options;
    const masked = false;
    await this.#programs.refresh();
    for (const batch of tokenBatchesInSteps(examples, { maxTokens, padTokenId, sharesPrefixes: true, reports: true })) {
      const form = { masked, tree: batch.tree !== undefined, ...this.#chunks(batch) };
      if (batch.scoredPositions.length === 0) {
        const program = await this.#programs.scoring(['logprobs'], form);
        const { logprobs } = await program.run({
          inputs: this.#inputs(program, reportedBatch(batch), { masked }),
        });
        spreadReported(logprobs.data as Float32Array, batch.reported!, rows);
        continue;
      }
      const reports = batch.reported!.positions.length > 0;
      const terms = { ...form, entropy: false, value: false, dropout: false, reports };
      const program = await this.#programs.training(gradients, terms, formOf(losses));
      const inputs = {
        ...this.#inputs(program, batch, { masked }),
        ...(reports && reportedInputs(batch)),
        ...inputsOf(batch),
      };
      const found = await program.run({ inputs });
      spreadOutput('logprobs', found.logprobs.data as Float32Array, batch, rows, width);
      if (reports) spreadReported(found.reported_logprobs.data as Float32Array, batch.reported!, rows);
    }
    return rows;
  }

  /** Adds the gradient of Σ weights · (−log p) to `gradients`. @returns the loss Σ weights · (−log p), in nats */
  async accumulateGradients(
    examples: readonly TokenExample[],
    gradients: State,
    { maxTokens = this.#microBatchTokens, lossScale = 1, sharesPrefixes = false }: GradientOptions = {},
  ): Promise<{ loss: number }> {
    checkExamples(examples, this.options);
    const { adapters, device } = this.options;
    const terms = {
      entropy: examples.some(({ entropyWeights }) => entropyWeights !== undefined),
      value: examples.some(({ valueWeights }) => valueWeights !== undefined),
      masked: isMasked(examples),
      dropout: this.dropoutRng !== undefined,
    };
    const isShared = sharesPrefixes && device.kind === 'cpu' && !drops(terms.dropout, adapters?.layout);
    await this.#programs.refresh();
    const scale: Record<string, InputTensor> = this.#programs.scalesLoss
      ? { loss_scale: { dims: [], data: [lossScale] } }
      : {};
    const loss = new Float64Array(1);
    for (const { batch: own, firstRow } of this.#batches(examples, maxTokens, isShared)) {
      const dropout = this.#dropoutInputs(firstRow); // drawn on every rank for every batch, to keep the ranks' generators in step
      if (own.rows === 0) continue;
      const batch = this.#runnable(own);
      const form = { ...terms, tree: batch.tree !== undefined, ...this.#chunks(batch) };
      const program = await this.#programs.training(gradients, form);
      const scored = [batch.weights.length];
      const outputs = await program.run({
        inputs: {
          ...this.#inputs(program, batch, terms),
          weights: { dims: scored, data: batch.weights },
          ...(terms.entropy && { entropy_weights: { dims: scored, data: batch.entropyWeights } }),
          ...(terms.value && { value_weights: { dims: [batch.valueWeights.length], data: batch.valueWeights } }),
          ...scale,
          ...dropout,
        },
      });
      loss[0] += outputs.loss.data[0] as number;
    }
    device.ranks.sum(loss);
    return { loss: loss[0] };
  }

  /** Yields this rank's rows of each batch. `maxTokens` applies to these: the batch of all ranks has it times their number. */
  #batches(examples: readonly TokenExample[], maxTokens: number, sharesPrefixes = false): Generator<OwnRows> {
    const { padTokenId, device } = this.options;
    const padding = this.#roundsSizes ? (1 + 1 / BUFFER_STEPS) ** 2 : 1;
    const options = { maxTokens: (maxTokens * device.ranks.size) / padding, padTokenId, sharesPrefixes };
    return ownRows(tokenBatchesInSteps(examples, options), device.ranks);
  }

  #inputs(
    { program }: BoundProgram,
    batch: TokenBatch,
    terms: { masked: boolean; value?: boolean },
  ): Record<string, InputTensor> {
    return scoringInputs(batch, { ...terms, vocabSize: this.options.architecture.vocabSize, names: program.inputs });
  }

  /** Returns a batch that the device accepts: padded for a GPU that keeps buffers for each shape, so that few shapes occur. */
  #runnable(batch: TokenBatch): TokenBatch {
    const { device, architecture } = this.options;
    if (device.kind !== 'webgpu') return batch;
    return gpuBatch(batch, { roundsSizes: this.#roundsSizes, contextLength: architecture.contextLength });
  }

  /** Returns whether the numbers of rows and columns of batches are rounded up, so that few shapes occur (see `gpuBatch`). */
  get #roundsSizes(): boolean {
    return this.options.device.gpuBuffers === 'exact';
  }

  /** Chooses the numbers of chunks of attention, LM head and loss. Only the CPU uses chunks; elsewhere they were not measured. */
  #chunks({ columns, tree, scoredPositions, reported }: TokenBatch) {
    const { device, architecture, lossChunks } = this.options;
    if (device.kind !== 'cpu') return { chunks: 1, headChunks: 1, lossChunks: 1 };
    const { vocabSize } = architecture;
    return {
      chunks: tree ? tree.groups.length : chunksOf(columns),
      headChunks: headChunksOf((reported?.positions ?? scoredPositions).length, vocabSize),
      lossChunks: headChunksOf(scoredPositions.length, vocabSize, lossChunks),
    };
  }

  /** Returns the default number of tokens of a micro-batch. On the CPU, larger ones are not faster and need more memory. */
  get #microBatchTokens(): number {
    return this.options.device.kind === 'cpu' ? microBatchTokens(this.options.architecture) : Infinity;
  }

  /** Returns whether the training graph computes losses. In float16 it cannot: the loss is scaled before the backward pass. */
  get #calculatesLosses(): boolean {
    const { kind, precision } = this.options.device;
    return kind === 'cpu' && precision === 'float32';
  }

  /** Adds up the results of all ranks, each of which has zeros at the positions that other ranks computed. */
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

  /** Makes the input that selects an adapter of the bank, or the base model alone. @throws if the adapter is not loaded */
  #adapterInput(adapter: LoadedAdapter | null = null): Record<string, InputTensor> {
    const { bank } = this.options;
    if (bank) return { [PLACES]: { dims: [1], data: Int32Array.of(bank.placeOf(adapter)) } };
    if (adapter === null) return {};
    throw new Error('TokenScorer: an adapter is named, and the model was loaded without room for any');
  }

  /** Releases the programs that are bound to a state of adapters; call it before that state is released. */
  releaseAdapters(adapters: State): Promise<void> {
    return this.#programs.releaseAdapters(adapters);
  }

  release(): Promise<void> {
    return this.#programs.release();
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
}
