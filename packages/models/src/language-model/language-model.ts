// A causal language model on a device: made or loaded, trained, scored, sampled, saved in Hugging Face layout.
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

/** With gradient checkpointing, logits are kept for a quarter of the scored rows on the CPU. */
const LOSS_CHUNKS = 4;

export class LanguageModel implements FrozenPolicy {
  readonly contextLength: number;
  readonly maskedTokenIds: readonly number[];
  readonly #device: Device;
  readonly #scorer: TokenScorer;
  readonly #decodePrograms: DecodePrograms;
  /** Made when first asked for; see `openEpisodes`. */
  #integerPrograms?: DecodePrograms;
  readonly #openIntegerPrograms: () => DecodePrograms;
  readonly #weights: ModelWeights;
  readonly #options: LanguageModelOptions;
  /** The parameters that training changes: the whole model, or with LoRA the adapters alone. */
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
      padTokenId: 0, // any id will do: no scored position sees padding
      dropoutRng,
      checkpointing: options.gradientCheckpointing,
      lossChunks: options.gradientCheckpointing ? LOSS_CHUNKS : 1,
    });
  }

  /** Creates a model with fresh weights. `config` has the contents of Hugging Face's config.json (at least `model_type` and sizes). */
  static async create(options: CreateOptions): Promise<LanguageModel> {
    const { architecture, weights } = await freshModel(options);
    return new LanguageModel(options, architecture, options.tokenizer, weights);
  }

  /**
   * Loads a model from a Hugging Face directory (config.json, model.safetensors or shards, tokenizer.json), or from a PEFT directory
   * (adapter_config.json, adapter_model.safetensors) and the base that it names.
   */
  static async load(options: LoadOptions): Promise<LanguageModel> {
    const { architecture, tokenizer, weights } = await readModel(options);
    return new LanguageModel(options, architecture, tokenizer, weights);
  }

  /** Returns the contents of config.json. */
  get config(): Readonly<Record<string, unknown>> {
    return this.architecture.config;
  }

  /**
   * Writes the Hugging Face layout, so that Python's transformers loads it too; with LoRA the adapter alone in PEFT's,
   * which names the base's directory.
   */
  async save(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    if (!adapters) return this.saveMerged(dir);
    await saveAdapters(dir, this.tokenizer, await this.copyParameters(), this.#weights);
  }

  /** Writes a whole model in Hugging Face layout: quantised weights in float32, adapters added to the weights beside them. */
  async saveMerged(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    const trained = adapters && (await this.copyParameters());
    await saveWhole(dir, this, await readStateDict(this.#device, this.#weights.base), { ...this.#weights, trained });
  }

  /** Copies the trained parameters to the bit (with LoRA the adapters), e.g. to keep the best so far. */
  copyParameters(): Promise<HostTensors> {
    return readStateDict(this.#device, this.parameters);
  }

  /** Takes up what `copyParameters` gave. Nothing is changed unless every tensor is there in the right shape. */
  async restoreParameters(tensors: HostTensors, source = 'restoreParameters'): Promise<void> {
    await loadStateDict(this.#device, this.parameters, tensors, { path: source });
  }

  /**
   * Makes training drop activations from now on, with the config's probabilities. The masks follow the seed and the optimizer's steps,
   * so that a resumed run has those of one that never stopped. Call it before the first gradient.
   *
   * @throws if the config has no probability above 0
   */
  useDropout(seed: number): void {
    checkDropout(this.config);
    this.#scorer.dropoutRng = new StepRng(seed, () => this.#optimizer?.steps ?? 0, 'dropout');
  }

  /** Creates the optimizer. Moments and gradients are made here and not before, so that a model that only samples has none. */
  async createOptimizer(options: OptimizerOptions): Promise<Optimizer> {
    if (this.#weights.quantized && !this.#weights.adapters)
      throw new Error('LanguageModel: quantised weights are frozen; load with `lora` to train adapters beside them');
    await this.#optimizer?.release();
    this.#optimizer = await createOptimizer(this.#device, this.parameters, options, this.#matrices());
    return this.#optimizer;
  }

  /** Names the trained weights of linear layers, the head's excepted. */
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
   * Runs forward and backward; adds the gradient of Σ weights · (−log p(target)) into `optimizer.gradients`. This is every policy loss
   * whose gradient by the log-probabilities does not depend on them (REINFORCE, behaviour cloning, AWR): one pass, with weights =
   * −dL/dlogprob.
   *
   * @param options.sharesPrefixes tokens that several examples begin with, none of them scored, are computed once (on the CPU, without dropout)
   * @returns that sum, in nats
   */
  accumulateGradients(
    examples: readonly TokenExample[],
    options: BatchOptions & Pick<GradientOptions, 'sharesPrefixes'> = {},
  ): Promise<{ loss: number }> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateGradients(examples, gradients, { ...options, lossScale });
  }

  /**
   * Computes every other policy loss (PPO, GRPO with several epochs, DPO, KL penalties): scores the examples, computes the loss on the
   * host, runs backward with its gradient, and adds that into `optimizer.gradients`. The loss is over all examples of the call, however
   * `maxTokens` splits them. A token of the loss is a position with a weight other than 0, in the order of the examples.
   *
   * Quantities besides `logprobs` that a loss needs of the model come in `ScoredTokens`, and their gradients go back in `TokenLoss`:
   * `entropies` with `{ entropies: true }`, and `values` where an example has a weight of V other than 0. The gradient by the values
   * goes into the trunk and into `valueHead.optimizer.gradients`, in the same backward pass.
   *
   * @param lossOf from core's losses, e.g. `({ logprobs }) => ppoClipLoss({ logprobs, … }, options)`
   * @returns what `lossOf` returned
   * @throws if the model trains with dropout, which the two passes would not share
   */
  accumulateLogprobGradients<Loss extends TokenLoss>(
    examples: readonly TokenExample[],
    lossOf: (tokens: ScoredTokens) => Loss,
    options: Omit<LossOptions, 'lossScale'> = {},
  ): Promise<Loss> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateLogprobGradients(examples, lossOf, gradients, { ...options, lossScale });
  }

  /** Adds the gradient of `TokenScorer.accumulateTokenLosses` into `optimizer.gradients`. */
  accumulateTokenLosses(
    examples: readonly TargetedTokens[],
    losses: TokenLosses,
    options: BatchOptions = {},
  ): Promise<Float32Array[]> {
    const { gradients, lossScale } = this.optimizer;
    return this.#scorer.accumulateTokenLosses(examples, losses, gradients, { ...options, lossScale });
  }

  /**
   * Computes the log-probability of every target, where positions have several.
   *
   * @returns [examples] of [tokens × width] log p of every target in nats, where each position has `width` of them
   */
  targetLogprobs(
    examples: readonly TargetedTokens[],
    width: number,
    options: ScoringBatchOptions = {},
  ): Promise<Float32Array[]> {
    return this.#scorer.targetLogprobs(examples, width, options);
  }

  /** Copies the gradients that no step has applied. */
  copyGradients(): Promise<HostTensors> {
    return readStateDict(this.#device, this.optimizer.gradients);
  }

  /** Takes up what `copyGradients` gave; null: there are none. */
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
   * Computes per example and position log p(target | ids up to there) in nats, 0 where the weight is 0. With LoRA `{ adapters: false }`
   * asks the base.
   */
  logprobs(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<Float32Array[]> {
    return this.#scorer.logprobs(examples, options);
  }

  /** Returns the adapters that turns and scoring can name, where the model was loaded with room for some. */
  get adapterBank(): AdapterBank | undefined {
    return this.#weights.bank;
  }

  /** Returns whether this model is a frozen base and adapters, which alone are trained. */
  get hasAdapters(): boolean {
    return this.#weights.adapters !== undefined;
  }

  /**
   * Freezes the model as it is now: a reference policy. With adapters they alone are copied and the base is shared, so it must be
   * released before this model; else it is a copy of all weights.
   *
   * @param options.quantization of a copy of all weights; 'none' if not given
   * @throws if a quantization is given and nothing but adapters would be copied, or if the weights are quantised already
   */
  async freeze({ quantization = 'none' }: { quantization?: Quantization } = {}): Promise<FrozenPolicy> {
    if (quantization !== 'none' && this.hasAdapters)
      throw new Error('LanguageModel.freeze: with adapters the base is shared, so it cannot be quantised apart');
    if (this.hasAdapters) return this.#withAdapters(await this.copyParameters());
    if (this.#weights.quantized)
      throw new Error('LanguageModel.freeze: quantised weights are frozen already; score with this model itself');
    const weights = new FrozenWeights(this.architecture, quantization);
    for (const [name, tensor] of Object.entries(await this.copyParameters())) weights.take(name, tensor);
    const { maskedTokenIds, contextLength } = this;
    const options = { device: this.#device, maskedTokenIds, masksPadding: false, contextLength };
    const base = await this.#device.createState(frozenTensors(weights.tensors, this.#device.precision));
    return new LanguageModel(options, this.architecture, this.tokenizer, { base, ...weights.kept });
  }

  /**
   * Returns this model with other adapters, frozen: those in `dir`, or with null none, so the base alone. Nothing of the base is
   * copied.
   *
   * @throws AdapterError where the adapter in `dir` does not fit this model's
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
   * Creates a model that trains adapters of its own beside this model's frozen base, which is in memory once. It must be released
   * before this one.
   *
   * @param options.seed of the adapters' start values
   * @throws if this model's weights are trained themselves, or adapters beside them
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

  /**
   * Takes up the adapter in `dir`, which must be of this model's layers, ranks and scales.
   *
   * @throws AdapterError where it is not
   */
  async restoreAdapters(dir: string): Promise<void> {
    const { adapters } = this.#weights;
    if (!adapters) throw new Error('LanguageModel.restoreAdapters: this model has no adapters');
    const { options } = await readAdapterOptions(dir);
    checkSameScales(dir, adapterLayoutIn(dir, this.architecture, options), adapters.layout);
    await this.restoreParameters(await readAdapterWeights(dir, adapters.layout), dir);
  }

  /**
   * Lists the paths of the linear layers that adapters may be beside, as PEFT's target_modules have them: in the blocks, and the output
   * head.
   */
  get linearModules(): Record<'blocks' | 'heads', string[]> {
    const { inside, heads } = linearWeights(this.architecture);
    const paths = (weights: string[]) => weights.map((weight) => weight.replace(/\.weight$/, ''));
    return { blocks: paths(inside), heads: paths(heads) };
  }

  async #withAdapters(tensors: HostTensors): Promise<FrozenPolicy> {
    return policyWithAdapters(this.#scorer, this.#device, await this.#device.createState(tensors));
  }

  /**
   * Computes per example and position V of the context up to there, 0 where `valueWeights` is 0.
   *
   * @throws if there is no value head
   */
  values(examples: readonly TokenExample[], options: BatchOptions = {}): Promise<Float32Array[]> {
    return this.#scorer.values(examples, options);
  }

  /**
   * Puts a value head on the trunk, with V = 0 everywhere and an optimizer of its own. `save` leaves it out: the files stay those of a
   * plain model, and a run saves the head beside them with `valueHead.save`.
   */
  async createValueHead(options: OptimizerOptions): Promise<ValueHead> {
    if (this.#device.precision === 'float16')
      throw new Error('LanguageModel: the value head computes in float32 alone; use precision=float32');
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

  /** Computes the same as `logprobs`, with the first ten logits at each example's first scored position. */
  scores(examples: readonly TokenExample[], options: ScoringBatchOptions = {}): Promise<TokenScores[]> {
    return this.#scorer.scores(examples, options);
  }

  /**
   * Opens room for the contexts of `slots` episodes that are continued turn by turn. Cheap: the compiled graphs are shared. A
   * `contextLength` shorter than the model's makes the cache smaller. With `integerProducts` the linear layers multiply integers of 8
   * bits, made of the weights as they are at each call: another policy than the one that scores.
   *
   * @throws if integers are asked for on a device that cannot multiply matrices of them
   */
  openEpisodes({
    slots,
    contextLength = this.contextLength,
    sharesSampler = false,
    integerProducts = false,
    ...others
  }: Pick<EpisodesOptions, 'slots' | 'sharesSampler' | 'drawsPerToken' | 'pool'> & {
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
   * Reserves memory for prefixes of texts, for all episodes that are opened with it. Whoever opens it closes it after them.
   *
   * @returns null where nothing can be kept: with recurrent layers, or with a cache on a GPU, or in so little memory
   */
  openPrefixPool(bytes: number): Promise<PrefixPool | null> {
    return this.#decodePrograms.openPool(bytes);
  }

  /** Frees the decoding sessions, which contain a second copy of large frozen weights; the next utterance creates them again. */
  async releaseDecoding(): Promise<void> {
    await this.#decodePrograms.release();
    await this.#integerPrograms?.release();
  }

  /** Frees the device memory of this model; a second call does nothing. */
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
