// A causal language model on a device: made or loaded, trained, scored, sampled, saved in Hugging Face layout.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically, type Rng } from '@bowyer/core';
import type { Device, State } from '@bowyer/graph';
import { architectureFor } from './architectures.js';
import type { CausalArchitecture } from './architecture.js';
import { readParameters, toCheckpoint } from './checkpoint-layout.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import { freshParameters } from './fresh-parameters.js';
import { createOptimizer, type Optimizer, type OptimizerOptions } from './optimizer.js';
import { readPretrainedConfig } from './pretrained-config.js';
import { openWeights } from './safetensors-file.js';
import { writeWeights, type HostTensors } from './safetensors.js';
import { copyTensors, writeTensors } from './state-tensors.js';
import type { TokenExample } from './token-batches.js';
import { TokenScorer, type BatchOptions, type TokenScores } from './token-scorer.js';
import { loadTokenizer, type Tokenizer } from './tokenizer.js';

export interface LanguageModelOptions {
  device: Device;
  /** Tokens that the policy never says and that scoring gives probability 0. */
  maskedTokenIds?: readonly number[];
  /** Whether padding is among them, as suits a policy (true if not given); false: the checkpoint's own distribution. */
  masksPadding?: boolean;
  /** Longest context in tokens if it is to be shorter than the architecture's. */
  contextLength?: number;
  /** Given: training drops activations with the config's probabilities, following these numbers. Sampling and scoring never do. */
  dropoutRng?: Rng;
}

export class LanguageModel {
  readonly contextLength: number;
  readonly maskedTokenIds: readonly number[];
  readonly #device: Device;
  readonly #scorer: TokenScorer;
  readonly #decodePrograms: DecodePrograms;
  #optimizer?: Optimizer;

  private constructor(
    options: LanguageModelOptions,
    readonly architecture: CausalArchitecture,
    readonly tokenizer: Tokenizer,
    readonly parameters: State,
  ) {
    const { device, maskedTokenIds = [], contextLength = architecture.contextLength, dropoutRng } = options;
    if (contextLength > architecture.contextLength)
      throw new RangeError(
        `contextLength ${contextLength} is more than the model's ${architecture.contextLength} positions`,
      );
    this.#device = device;
    this.contextLength = contextLength;
    this.maskedTokenIds = options.masksPadding === false ? [...maskedTokenIds] : withPadding(maskedTokenIds, tokenizer);
    this.#decodePrograms = new DecodePrograms({
      device,
      architecture,
      parameters,
      maskedTokenIds: this.maskedTokenIds,
    });
    this.#scorer = new TokenScorer({
      device,
      architecture,
      parameters,
      maskedTokenIds: this.maskedTokenIds,
      padTokenId: 0, // any id will do: no scored position sees padding
      dropoutRng,
    });
  }

  /** A model with fresh weights. `config` is what Hugging Face's config.json holds (at least `model_type` and sizes). */
  static async create(
    options: LanguageModelOptions & { config: Readonly<Record<string, unknown>>; tokenizer: Tokenizer; rng: Rng },
  ): Promise<LanguageModel> {
    const architecture = architectureFor({ vocab_size: options.tokenizer.vocabSize, ...options.config });
    checkVocabulary(architecture, options.tokenizer);
    const parameters = await options.device.createState(freshParameters(architecture.parameters, options.rng));
    return new LanguageModel(options, architecture, options.tokenizer, parameters);
  }

  /** A model from a Hugging Face directory: config.json, model.safetensors (or shards), tokenizer.json. */
  static async load(options: LanguageModelOptions & { dir: string }): Promise<LanguageModel> {
    const { dir, device } = options;
    const architecture = architectureFor(await readPretrainedConfig(dir));
    const tokenizer = await loadTokenizer(dir);
    checkVocabulary(architecture, tokenizer, dir);
    const source = await openWeights(dir);
    const tensors = await readParameters(architecture.parameters, source).finally(() => source.close());
    return new LanguageModel(options, architecture, tokenizer, await device.createState(tensors));
  }

  /** Contents of config.json. */
  get config(): Readonly<Record<string, unknown>> {
    return this.architecture.config;
  }

  /** Writes the Hugging Face layout, so that Python's transformers loads it too. */
  async save(dir: string): Promise<void> {
    await mkdir(dir, { recursive: true });
    await writeWeights(dir, toCheckpoint(this.architecture.parameters, await this.copyParameters()));
    await this.tokenizer.save(dir);
    await writeFileAtomically(join(dir, 'config.json'), `${JSON.stringify(this.config, null, 2)}\n`);
  }

  /** Bit-exact copies of the parameters as they lie in memory, e.g. to keep the best so far. */
  copyParameters(): Promise<HostTensors> {
    return copyTensors(this.#device, this.parameters);
  }

  /** Takes up what `copyParameters` gave. Nothing is changed unless every tensor is there in the right shape. */
  async restoreParameters(tensors: HostTensors, source = 'restoreParameters'): Promise<void> {
    await writeTensors(this.#device, this.parameters, tensors, { path: source });
  }

  /** Moments and gradients are made here and not before, so that a model that only samples holds none. */
  async createOptimizer(options: OptimizerOptions): Promise<Optimizer> {
    await this.#optimizer?.release();
    this.#optimizer = await createOptimizer(this.#device, this.parameters, options);
    return this.#optimizer;
  }

  get optimizer(): Optimizer {
    if (!this.#optimizer) throw new Error('LanguageModel: no optimizer yet; call createOptimizer before training');
    return this.#optimizer;
  }

  /**
   * Forward and backward; adds the gradient of Σ weights · (−log p(target)) into `optimizer.gradients`.
   *
   * @returns that sum, in nats
   */
  accumulateGradients(examples: readonly TokenExample[], options: BatchOptions = {}): Promise<{ loss: number }> {
    return this.#scorer.accumulateGradients(examples, this.optimizer.gradients, options);
  }

  /** Per example and position log p(target | ids up to there) in nats, 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options: BatchOptions = {}): Promise<Float32Array[]> {
    return this.#scorer.logprobs(examples, options);
  }

  /** As `logprobs`, and the first ten logits at each example's first scored position. */
  scores(examples: readonly TokenExample[], options: BatchOptions = {}): Promise<TokenScores[]> {
    return this.#scorer.scores(examples, options);
  }

  /**
   * Room for the contexts of `slots` episodes that are continued turn by turn. Cheap: the compiled graphs are
   * shared. A `contextLength` shorter than the model's makes the cache smaller.
   */
  openEpisodes({
    slots,
    contextLength = this.contextLength,
  }: {
    slots: number;
    contextLength?: number;
  }): Promise<Episodes> {
    return Episodes.open({
      device: this.#device,
      programs: this.#decodePrograms,
      contextLength: Math.min(contextLength, this.contextLength),
      slots,
    });
  }

  /** Frees what the device holds of this model. */
  async release(): Promise<void> {
    await this.#scorer.release();
    await this.#decodePrograms.release();
    await this.#optimizer?.release();
    await this.#device.release(this.parameters);
  }
}

/** Padding is never said, unless it is also what ends a text (GPT-2 has one token for both). */
function withPadding(maskedTokenIds: readonly number[], { padTokenId, eosTokenId }: Tokenizer): number[] {
  const padding = padTokenId >= 0 && padTokenId !== eosTokenId ? [padTokenId] : [];
  return [...new Set([...maskedTokenIds, ...padding])].sort((a, b) => a - b);
}

/** More rows than tokens are common (Pythia, Qwen: rounded up to please a GPU); so many more are another tokenizer's. */
const SPARE_ROWS = 4096;

function checkVocabulary(
  { vocabSize }: CausalArchitecture,
  tokenizer: Tokenizer,
  source = 'LanguageModel.create',
): void {
  const tokens = tokenizer.vocabSize;
  if (tokens <= vocabSize && vocabSize - tokens <= SPARE_ROWS) return;
  throw new RangeError(
    `${source}: the tokenizer has ${tokens} tokens, the model's vocab_size is ${vocabSize}; they do not belong together`,
  );
}
