// Holds a causal language model on a device, where it is trained, scores texts and generates them, and saves it in Hugging Face's
// layout.
import type { HostTensors } from '@bowyer/checkpoints';
import type { ScoredTokens, TokenLoss } from '@bowyer/core';
import type { Device, State } from '@bowyer/graph';
import type { Tokenizer } from '@bowyer/text';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { TokenExample } from '../batching/token-batches.js';
import { DecodePrograms } from '../decoding/decode-programs.js';
import { Episodes, type EpisodesOptions } from '../decoding/episodes.js';
import type { PrefixPool } from '../decoding/prefix-pool.js';
import { adapterLayoutIn, checkSameScales, readAdapterOptions, readAdapterWeights } from '../lora/peft-files.js';
import type { AdapterBank } from '../lora/adapter-bank.js';
import type { LoraOptions } from '../lora/lora-options.js';
import { StepRng } from '../lora/step-rng.js';
import { createOptimizer, type OptimizerOptions } from '../optimizers/create-optimizer.js';
import type { Optimizer } from '../optimizers/optimizer.js';
import { FrozenWeights } from '../quantization/frozen-weights.js';
import type { Quantization } from '../quantization/weight-layouts.js';
import {
  TokenScorer,
  type BatchOptions,
  type GradientOptions,
  type LossOptions,
  type ScoringBatchOptions,
  type TokenScores,
} from '../training/token-scorer.js';
import type { TargetedTokens, TokenLosses } from '../training/token-losses.js';
import { trunkWidth } from '../training/training-graph.js';
import { ValueHead } from '../training/value-head.js';
import { frozenTensors, ComputeWeights } from '../weights/compute-weights.js';
import { readStateDict, loadStateDict } from '../weights/state-dict.js';
import { policyWithAdapters, type FrozenPolicy } from './frozen-policy.js';
import {
  checkDropout,
  checkIntegerProducts,
  withPadding,
  type CreateOptions,
  type LanguageModelOptions,
  type LoadOptions,
} from './model-options.js';
import { createAdapters, type ModelWeights } from './model-weights.js';
import { freshModel, readModel } from './read-model.js';
import { saveAdapters, saveWhole } from './save-model.js';

/** The chunks into which gradient checkpointing on the CPU divides scored positions; memory has the logits of one at a time. */
const LOSS_CHUNKS = 4;

/**
 * The size of the float32 weights, in bytes, from which on `rest` frees working memory. Smaller models have little of it, and
 * opening their sessions again would cost more than the memory is worth.
 */
export const LARGE_BYTES = 1 << 26;

/** Holds a causal language model on a device: its weights, its optimizer and its compiled programs. */
export class LanguageModel implements FrozenPolicy {
  readonly contextLength: number;
  readonly maskedTokenIds: readonly number[];
  readonly #device: Device;
  readonly #scorer: TokenScorer;
  readonly #decodePrograms: DecodePrograms;
  /** The decoding programs with integer products, which the first call of `openEpisodes` that needs them creates. */
  #integerPrograms?: DecodePrograms;
  readonly #openIntegerPrograms: () => DecodePrograms;
  readonly #weights: ModelWeights;
  readonly #options: LanguageModelOptions;
  /** The parameters that training changes: the whole model, or with LoRA only the adapters. */
  readonly parameters: State;
  #optimizer?: Optimizer;
  #valueHead?: ValueHead;
  #isReleased = false;

  private constructor(
    options: LanguageModelOptions & Pick<LoadOptions, 'lora'>,
    readonly architecture: CausalArchitecture,
    readonly tokenizer: Tokenizer,
    weights: ModelWeights,
  ) {
    const { device, maskedTokenIds = [], contextLength = architecture.contextLength, dropoutRng } = options;
    if (options.lora?.integerProducts) checkIntegerProducts(device, weights);
    if (contextLength > architecture.contextLength)
      throw new RangeError(
        `contextLength ${contextLength} is more than the model's ${architecture.contextLength} positions`,
      );
    this.#device = device;
    this.#weights = weights;
    this.#options = options;
    this.parameters = weights.adapters?.parameters ?? weights.base;
    const { base, quantized, quantizedWithHeads } = weights;
    const adapters = weights.adapters && {
      ...weights.adapters,
      dropoutRng: new StepRng(weights.adapters.seed, () => this.#optimizer?.steps ?? 0),
    };
    this.contextLength = contextLength;
    this.maskedTokenIds = options.masksPadding === false ? [...maskedTokenIds] : withPadding(maskedTokenIds, tokenizer);
    const decoding = {
      device,
      architecture,
      parameters: base,
      quantized: quantizedWithHeads,
      packed: options.packedDecoding,
      slots: options.slots,
      adapters,
      bank: weights.bank,
      maskedTokenIds: this.maskedTokenIds,
    };
    this.#decodePrograms = new DecodePrograms(decoding);
    this.#openIntegerPrograms = () => new DecodePrograms({ ...decoding, integerProducts: true });
    this.#scorer = new TokenScorer({
      device,
      architecture,
      parameters: base,
      quantized,
      integerProducts: options.lora?.integerProducts ? quantizedWithHeads : undefined,
      adapters,
      bank: weights.bank,
      maskedTokenIds: this.maskedTokenIds,
      padTokenId: 0, // any id works, since no scored position sees padding
      dropoutRng,
      checkpointing: options.gradientCheckpointing,
      lossChunks: options.gradientCheckpointing ? LOSS_CHUNKS : 1,
    });
  }

  /** Creates a model with random weights; `config` has the fields of config.json (at least `model_type` and sizes). */
  static async create(options: CreateOptions): Promise<LanguageModel> {
    const { architecture, weights } = await freshModel(options);
    return new LanguageModel(options, architecture, options.tokenizer, weights);
  }

  /**
   * Loads a model from a Hugging Face directory (config.json, model.safetensors or shards, tokenizer.json), or from a PEFT directory
   * (adapter_config.json, adapter_model.safetensors) together with its base model.
   */
  static async load(options: LoadOptions): Promise<LanguageModel> {
    const { architecture, tokenizer, weights } = await readModel(options);
    return new LanguageModel(options, architecture, tokenizer, weights);
  }

  /** Returns the model's config.json. */
  get config(): Readonly<Record<string, unknown>> {
    return this.architecture.config;
  }

  /** Saves the model in Hugging Face's layout; with LoRA only the adapter, in PEFT's layout, with the path of the base model. */
  async save(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    if (!adapters) return this.saveMerged(dir);
    await saveAdapters(dir, this.tokenizer, await this.copyParameters(), this.#weights);
  }

  /** Saves the whole model in Hugging Face's layout, with quantised weights in float32 and adapters merged into the weights. */
  async saveMerged(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    const trained = adapters && (await this.copyParameters());
    await saveWhole(dir, this, await readStateDict(this.#device, this.#weights.base), { ...this.#weights, trained });
  }

  /** Copies the trained parameters (with LoRA the adapters) to host memory bit for bit, e.g. to keep the best ones. */
  copyParameters(): Promise<HostTensors> {
    return readStateDict(this.#device, this.parameters);
  }

  /** Overwrites the trained parameters; throws, and changes nothing, if a tensor is missing or has a wrong shape. */
  async restoreParameters(tensors: HostTensors, source = 'restoreParameters'): Promise<void> {
    await loadStateDict(this.#device, this.parameters, tensors, { path: source });
  }

  /**
   * Turns on dropout in training, with the config's probabilities, before the first gradient. The masks follow from the seed and
   * the number of optimizer steps, so that a resumed run has those of an uninterrupted one.
   *
   * @throws if the config has no dropout probability above 0
   */
  useDropout(seed: number): void {
    checkDropout(this.config);
    this.#scorer.dropoutRng = new StepRng(seed, () => this.#optimizer?.steps ?? 0, 'dropout');
  }

  /** Creates the optimizer, and only here moments and gradients, for which other uses of the model need no memory. */
  async createOptimizer(options: OptimizerOptions): Promise<Optimizer> {
    if (this.#weights.quantized && !this.#weights.adapters)
      throw new Error('LanguageModel: quantised weights are frozen; load with `lora` to train adapters beside them');
    await this.#optimizer?.release();
    this.#optimizer = await createOptimizer(this.#device, this.parameters, options, this.#matrices());
    return this.#optimizer;
  }

  /** Lists the names of trained weights of linear layers, except for the output head's. */
  #matrices(): readonly string[] {
    if (this.#weights.adapters) return this.parameters.names;
    const { inside, experts } = linearWeights(this.architecture);
    return [...inside, ...experts];
  }

  get optimizer(): Optimizer {
    if (!this.#optimizer) throw new Error('LanguageModel: no optimizer yet; call createOptimizer before training');
    return this.#optimizer;
  }

  /**
   * Adds the gradient of Σ weights · (−log p(target)) to `optimizer.gradients`. With weights = −dL/dlogprob this is the gradient
   * of every policy loss whose derivative by the log-probabilities does not depend on them (REINFORCE, behaviour cloning, AWR).
   *
   * @param options.sharesPrefixes whether tokens that several examples begin with are computed once (on the CPU, without dropout)
   * @returns the weighted sum, in nats
   */
  accumulateGradients(
    examples: readonly TokenExample[],
    options: BatchOptions & Pick<GradientOptions, 'sharesPrefixes'> = {},
  ): Promise<{ loss: number }> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateGradients(examples, gradients, { ...options, lossScale });
  }

  /**
   * Adds the gradient of any other policy loss (PPO, GRPO with several epochs, DPO, KL penalties): scores the examples, computes
   * the loss on the host, and runs the backward pass with the loss's derivatives by the log-probabilities. `lossOf` is called
   * once for all examples of the call, however `maxTokens` splits them into batches. It gets one log-probability for each
   * position with a weight other than 0, in the order of the examples.
   *
   * The loss may also use entropies and values, which `lossOf` gets in `ScoredTokens`; it returns its derivatives by them in
   * `TokenLoss`. `entropies` needs `{ entropies: true }`; `values` are those of positions with a weight of V other than 0. The
   * same backward pass adds the gradient by the values to the gradients of the model and to `valueHead.optimizer.gradients`.
   *
   * @param lossOf computes the loss, e.g. `({ logprobs }) => ppoClipLoss({ logprobs, … }, options)` with a loss of @bowyer/core
   * @returns the result of `lossOf`
   * @throws if the model trains with dropout, since the scoring and the backward pass would have different dropout masks
   */
  accumulateLogprobGradients<Loss extends TokenLoss>(
    examples: readonly TokenExample[],
    lossOf: (tokens: ScoredTokens) => Loss,
    options: Omit<LossOptions, 'lossScale'> = {},
  ): Promise<Loss> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateLogprobGradients(examples, lossOf, gradients, { ...options, lossScale });
  }

  /** Adds the gradient that `TokenScorer.accumulateTokenLosses` computes to `optimizer.gradients`. */
  accumulateTokenLosses(
    examples: readonly TargetedTokens[],
    losses: TokenLosses,
    options: BatchOptions = {},
  ): Promise<Float32Array[]> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateTokenLosses(examples, losses, gradients, { ...options, lossScale });
  }

  /**
   * Computes the log-probability of every target, for examples with several targets per position.
   *
   * @returns for each example [tokens × width] log p of every target in nats, where each position has `width` targets
   */
  targetLogprobs(
    examples: readonly TargetedTokens[],
    width: number,
    options: ScoringBatchOptions = {},
  ): Promise<Float32Array[]> {
    return this.#scorer.targetLogprobs(examples, width, options);
  }

  /** Copies to host memory the gradients that have been added up since the last optimizer step. */
  copyGradients(): Promise<HostTensors> {
    return readStateDict(this.#device, this.optimizer.gradients);
  }

  /** Overwrites the gradients with a copy; null sets them to zero. */
  async restoreGradients(tensors: HostTensors | null, source = 'restoreGradients'): Promise<void> {
    const { gradients } = this.optimizer;
    const zeros = () =>
      Object.fromEntries(
        [...gradients.tensors].map(([name, { shape }]) => {
          const size = shape.reduce((product, dim) => product * dim, 1);
          return [name, { shape: [...shape], data: new Float32Array(size) }];
        }),
      );
    await loadStateDict(this.#device, gradients, tensors ?? zeros(), { path: source });
  }

  /**
   * Computes log p(target | ids up to the position) in nats for each position of each example; 0 where the weight is 0. With
   * LoRA, `{ adapters: false }` scores with the base model.
   */
  logprobs(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<Float32Array[]> {
    return this.#scorer.logprobs(examples, options);
  }

  /** The bank of LoRA adapters, of which each turn and each scoring call can select one; undefined if loaded without one. */
  get adapterBank(): AdapterBank | undefined {
    return this.#weights.bank;
  }

  /** Returns whether this model trains LoRA adapters on a frozen base. */
  get hasAdapters(): boolean {
    return this.#weights.adapters !== undefined;
  }

  /**
   * Copies the current policy as a frozen reference policy. With adapters only these are copied and both policies share the base,
   * so that the copy must be released before this model; without adapters all weights are copied.
   *
   * @param options.quantization the quantization of a copy of all weights; 'none' if omitted
   * @throws if a quantization is given although only adapters would be copied, or the weights are already quantised
   */
  async freeze({ quantization = 'none' }: { quantization?: Quantization } = {}): Promise<FrozenPolicy> {
    if (quantization !== 'none' && this.hasAdapters)
      throw new Error('LanguageModel.freeze: with adapters the base is shared, so it cannot be quantised apart');
    if (this.hasAdapters) return this.#withAdapters(await this.copyParameters());
    if (this.#weights.quantized)
      throw new Error('LanguageModel.freeze: quantised weights are frozen already; score with this model itself');
    const weights = new FrozenWeights(this.#device, this.architecture, quantization);
    for (const [name, tensor] of Object.entries(await this.copyParameters())) weights.take(name, tensor);
    const { maskedTokenIds, contextLength } = this;
    const options = { device: this.#device, maskedTokenIds, masksPadding: false, contextLength };
    const base = await this.#device.createState(frozenTensors(weights.tensors, this.#device.precision));
    return new LanguageModel(options, this.architecture, this.tokenizer, { base, ...weights.kept });
  }

  /**
   * Returns a frozen policy on this model's base, which both share in memory, with the adapters in `dir`; null: none.
   *
   * @throws AdapterError if the adapter in `dir` does not fit this model
   */
  async freezeWithAdapters(dir: string | null): Promise<FrozenPolicy> {
    const { adapters } = this.#weights;
    if (!adapters) throw new Error('LanguageModel.freezeWithAdapters: this model has no adapters; use freeze');
    if (dir !== null) return this.#withAdapters(await readAdapterWeights(dir, adapters.layout));
    return {
      logprobs: (examples, options) => this.logprobs(examples, { ...options, adapters: false }),
      release: () => Promise.resolve(),
    };
  }

  /**
   * Creates a model that trains its own adapters on this model's frozen base, which both share; release it before this model.
   *
   * @param options.seed the seed of the adapters' initial values
   * @throws if this model has adapters or an optimizer
   */
  async shareBase(lora: LoraOptions & { seed: number }): Promise<LanguageModel> {
    if (this.hasAdapters || this.#optimizer)
      throw new Error('LanguageModel.shareBase: this model is trained itself; load its base for others to share');
    const adapters = await createAdapters(this.#device, this.architecture, { options: lora, seed: lora.seed });
    const options = {
      ...this.#options,
      maskedTokenIds: this.maskedTokenIds,
      masksPadding: false,
      dropoutRng: undefined,
    };
    const weights = { ...this.#weights, adapters, bank: undefined, isBaseShared: true };
    return new LanguageModel(options, this.architecture, this.tokenizer, weights);
  }

  /** Reads the adapters' values from `dir`. @throws AdapterError if it has not the same layers, ranks and scales */
  async restoreAdapters(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    if (!adapters) throw new Error('LanguageModel.restoreAdapters: this model has no adapters');
    const { options } = await readAdapterOptions(dir);
    checkSameScales(dir, adapterLayoutIn(dir, this.architecture, options), adapters.layout);
    await this.restoreParameters(await readAdapterWeights(dir, adapters.layout), dir);
  }

  /** The paths of the linear layers that can have adapters, as in PEFT's target_modules. */
  get linearModules(): Record<'blocks' | 'heads', string[]> {
    const { inside, heads } = linearWeights(this.architecture);
    const paths = (weights: string[]) => weights.map((weight) => weight.replace(/\.weight$/, ''));
    return { blocks: paths(inside), heads: paths(heads) };
  }

  async #withAdapters(tensors: HostTensors): Promise<FrozenPolicy> {
    return policyWithAdapters(this.#scorer, this.#device, await this.#device.createState(tensors));
  }

  /**
   * Computes V, the output of the value head, after the tokens up to each position of each example; 0 where `valueWeights` is 0.
   *
   * @throws if the model has no value head
   */
  values(examples: readonly TokenExample[], options: BatchOptions = {}): Promise<Float32Array[]> {
    return this.#scorer.values(examples, options);
  }

  /**
   * Adds a value head with V = 0 everywhere and its own optimizer. `save` does not write the head, so that the saved files are
   * those of a plain model; `valueHead.save` writes it separately.
   */
  async createValueHead(options: OptimizerOptions): Promise<ValueHead> {
    if (this.#device.precision === 'float16')
      throw new Error('LanguageModel: the value head computes in float32 alone; use device.precision=float32');
    await this.#valueHead?.release();
    this.#valueHead = await ValueHead.create(this.#device, trunkWidth(this.architecture), options);
    this.#scorer.valueHead = this.#valueHead;
    return this.#valueHead;
  }

  get hasValueHead(): boolean {
    return this.#valueHead !== undefined;
  }

  get valueHead(): ValueHead {
    if (!this.#valueHead) throw new Error('LanguageModel: no value head yet; call createValueHead');
    return this.#valueHead;
  }

  /** Computes `logprobs`, and the logits of the first ten ids at each example's first scored position. */
  scores(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<TokenScores[]> {
    return this.#scorer.scores(examples, options);
  }

  /**
   * Opens a KV cache for `slots` episodes that are continued turn by turn; cheap, since all caches share the compiled graphs. A
   * `contextLength` below the model's saves memory. With `integerProducts` linear layers multiply 8-bit integers, computed from
   * the weights at each call; the sampled distribution then differs slightly from that of scoring.
   *
   * @throws if integer products are requested on a device that does not support them
   */
  openEpisodes({
    slots,
    contextLength = this.contextLength,
    sharesSampler = false,
    integerProducts = false,
    ...others
  }: Pick<EpisodesOptions, 'slots' | 'sharesSampler' | 'drawsPerToken' | 'pool' | 'sharesPrefixes'> & {
    contextLength?: number;
    integerProducts?: boolean;
  }): Promise<Episodes> {
    return Episodes.open({
      programs: integerProducts ? (this.#integerPrograms ??= this.#openIntegerPrograms()) : this.#decodePrograms,
      contextLength: Math.min(contextLength, this.contextLength),
      slots,
      sharesSampler: sharesSampler && this.#device.kind === 'cpu',
      ...others,
    });
  }

  /**
   * Reserves memory for a pool of prefixes (keys and values that texts with the same beginning reuse), which is shared by all
   * `Episodes` that are opened with it. The caller closes the pool after these.
   *
   * @returns null if prefixes cannot be pooled: with recurrent layers, with a cache on a GPU, or with too little memory
   */
  openPrefixPool(bytes: number): Promise<PrefixPool | null> {
    return this.#decodePrograms.openPool(bytes);
  }

  /**
   * Frees a large model's working memory while another phase of an iteration runs, such as a critic's training: all the device's
   * sessions, zero gradients, and decoding's copy of trained weights. Sessions are opened again at their next run.
   */
  async rest(): Promise<void> {
    if (4 * this.#weights.base.size < LARGE_BYTES) return;
    if (!this.hasAdapters) await this.#decodePrograms.rest();
    await this.#device.rest(this.#optimizer ? [this.#optimizer.gradients] : []);
  }

  /** Frees the model's memory on the device; a second call does nothing. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#scorer.release();
    await this.#decodePrograms.release();
    await this.#integerPrograms?.release();
    await this.#optimizer?.release();
    await this.#valueHead?.release();
    const { base, adapters, bank, isBaseShared = false } = this.#weights;
    await bank?.release();
    if (!isBaseShared) await ComputeWeights.of(this.#device, base).release();
    for (const state of [isBaseShared ? undefined : base, adapters?.parameters, adapters?.switch])
      if (state) await this.#device.release(state);
  }
}
