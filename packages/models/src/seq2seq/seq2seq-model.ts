// Holds an encoder-decoder on a device: it is loaded from a Hugging Face directory, generates targets for sources, and scores targets.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rng } from '@bowyer/core';
import type { BoundProgram, Device, State } from '@bowyer/graph';
import {
  type ConfigJson,
  type HostTensors,
  PretrainedDirectoryError,
  readPretrainedConfig,
  readWeights,
} from '@bowyer/checkpoints';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import { changesLogits, noLogitRules, type LogitRules } from '../decoding/logit-rules.js';
import { samplerFor } from '../decoding/sampling.js';
import { computable, type SamplingOptions } from '../decoding/sampling-options.js';
import { inOneArray, samplingUniforms } from '../decoding/sampling-uniforms.js';
import { readLogitRules } from '../decoding/generation-fields.js';
import { loadTokenizer, type Tokenizer } from '@bowyer/text';
import { checkVocabulary } from '../architecture/vocabulary-check.js';
import type { DecodedTarget } from './decode-loop.js';
import type { EncoderDecoder } from './encoder-decoder.js';
import { generationRules, readGenerationRules, type GenerationRules } from './generation-rules.js';
import { paddedTokens, scoreBatch, type SourceAndTarget, type TargetScores } from './seq2seq-batches.js';
import { encoderDecoderFor } from './seq2seq-architectures.js';
import { scoreGraph } from './seq2seq-graphs.js';
import { TargetDecoder } from './target-decoder.js';
import { separateTables } from './tied-tables.js';

export interface Source {
  ids: readonly number[];
  /** Its next number seeds the target's random numbers, so that its tokens do not depend on the rest of the batch. */
  rng: Rng;
}

interface Seq2SeqModelOptions {
  device: Device;
}

interface Parts {
  architecture: EncoderDecoder;
  /** Null if the directory has no tokenizer.json; then sources and targets are ids. */
  tokenizer: Tokenizer | null;
  rules: GenerationRules;
  parameters: State;
  /** The directory from which the model was loaded; null for a model with random weights. */
  dir: string | null;
}

/** An encoder-decoder model on a device, which generates and scores targets. */
export class Seq2SeqModel {
  readonly architecture: EncoderDecoder;
  readonly tokenizer: Tokenizer | null;
  readonly rules: GenerationRules;
  readonly parameters: State;
  readonly #dir: string | null;
  readonly #decoder: TargetDecoder;
  #scorer?: Promise<BoundProgram>;

  private constructor(
    private readonly device: Device,
    { architecture, tokenizer, rules, parameters, dir }: Parts,
  ) {
    this.architecture = architecture;
    this.tokenizer = tokenizer;
    this.rules = rules;
    this.parameters = parameters;
    this.#dir = dir;
    this.#decoder = new TargetDecoder(device, architecture, parameters);
  }

  /** Creates a model with fresh weights. `config` has the fields of Hugging Face's config.json (at least `model_type` and sizes). */
  static async create(
    options: Seq2SeqModelOptions & { config: ConfigJson; tokenizer: Tokenizer | null; rng: Rng },
  ): Promise<Seq2SeqModel> {
    const { device, config, tokenizer, rng } = options;
    const architecture = encoderDecoderFor(config);
    const parameters = await device.createState(initializeParameters(architecture.parameters, rng));
    const rules = generationRules(architecture);
    return new Seq2SeqModel(device, { architecture, tokenizer, rules, parameters, dir: null });
  }

  /** Loads a model from a Hugging Face directory: config.json, model.safetensors (or shards), and tokenizer.json if there is one. */
  static async load({ device, dir }: Seq2SeqModelOptions & { dir: string }): Promise<Seq2SeqModel> {
    const [json, path] = [await readPretrainedConfig(dir), join(dir, 'config.json')];
    const tied = encoderDecoderFor(json, path);
    const rules = await readGenerationRules(dir, tied);
    const hasTokenizer = (await stat(join(dir, 'tokenizer.json')).catch(() => null)) !== null;
    const tokenizer = hasTokenizer ? await loadTokenizer(dir) : null;
    if (tokenizer) checkVocabulary(tokenizer.vocabSize, tied.vocabSize, dir);
    const stored = tied.fromFile(await readWeights(dir, { requireFinite: true }));
    const apart = separateTables(stored, tied.tiedTables);
    const architecture = encoderDecoderFor(json, path, apart);
    const tensors = checkedParameters(architecture, stored, dir);
    const parameters = await device.createState(tensors);
    return new Seq2SeqModel(device, { architecture, tokenizer, rules, parameters, dir });
  }

  /**
   * Generates one target per source, all in one batch.
   *
   * @param options.rules rules by which the tokens so far change logits; if not given, those of the directory's generation_config.json
   * @throws UnsupportedConfigError if that file has rules that are not supported, such as several beams
   */
  async generate(
    sources: readonly Source[],
    { rules: logitRules, ...given }: SamplingOptions & { rules?: LogitRules },
  ): Promise<DecodedTarget[]> {
    if (sources.length === 0) return [];
    const options = computable(given);
    const { architecture, rules } = this;
    const { maxNewTokens, temperature, topP, terminatorIds } = options;
    const applied = logitRules ?? (await this.#logitRules(options));
    const appliesRules = changesLogits(applied);
    const sampler = samplerFor({ ...options, appliesRules }, architecture.vocabSize);
    const uniforms = sources.map(({ rng }) => samplingUniforms(rng, maxNewTokens));
    const { tokens, ids, mask } = paddedTokens(
      sources.map((source) => source.ids),
      rules.padId,
    );
    return this.#decoder.decode(
      {
        rows: sources.length,
        sourceTokens: tokens,
        sourceIds: ids,
        sourceMask: mask,
        layers: architecture.decoderLayers,
        heads: architecture.heads,
        headSize: architecture.headSize,
        startId: rules.decoderStartId,
        forcedFirst: rules.forcedBosId ?? -1,
        forcedLast: rules.forcedEosId ?? -1,
        uniforms: sampler.kind === 'greedy' ? new Float32Array(0) : inOneArray(uniforms),
        ...('tempered' in sampler && sampler.tempered && { temperature }),
        ...(sampler.kind === 'truncated' && { topP }),
        ...(appliesRules && { rules: applied }),
        maxNewTokens,
        terminatorIds: [...terminatorIds],
      },
      sampler,
    );
  }

  async #logitRules({ greedy }: SamplingOptions): Promise<LogitRules> {
    if (this.#dir === null) return noLogitRules;
    const options = { samples: !greedy, isEncoderDecoder: true };
    return (await readLogitRules(this.#dir, this.architecture.vocabSize, options)).rules;
  }

  /** Computes the log-probabilities of a batch of targets, for each token given the source and the earlier tokens. */
  async score(items: readonly SourceAndTarget[]): Promise<TargetScores[]> {
    return scoreBatch(await (this.#scorer ??= this.#compileScorer()), items, this.rules);
  }

  async release(): Promise<void> {
    await this.#decoder.release();
    const scorer = await this.#scorer;
    await scorer?.release();
    await scorer?.program.release();
    this.#scorer = undefined;
    await this.device.release(this.parameters);
  }

  async #compileScorer(): Promise<BoundProgram> {
    const graph = scoreGraph(this.architecture);
    const used = this.architecture.parameters.filter(({ name }) => graph.inputs.has(name));
    const state = Object.fromEntries(used.map(({ name }) => [name, [this.parameters, name] as const]));
    // T5's activations exceed the range of float16.
    return (await this.device.compile(graph, { precision: 'float32' })).bind({ state });
  }
}

/** Checks that every parameter exists and has the right shape, and that there are no other tensors. */
function checkedParameters(architecture: EncoderDecoder, tensors: HostTensors, dir: string): HostTensors {
  const parameters: HostTensors = {};
  for (const { name, shape } of architecture.parameters) {
    const tensor = tensors[name];
    const expected = `[${shape.join(', ')}], as config.json specifies`;
    if (!tensor) throw new PretrainedDirectoryError(dir, `its weights have no tensor '${name}' of shape ${expected}`);
    if (tensor.shape.join() !== shape.join())
      throw new PretrainedDirectoryError(dir, `'${name}' has shape [${tensor.shape.join(', ')}], not ${expected}`);
    parameters[name] = tensor;
  }
  // A checkpoint may contain a tensor `shared` that is not needed, since encoder, decoder and head have their own tables.
  const extra = Object.keys(tensors).find((name) => !(name in parameters) && !/(^|\.)shared\.weight$/.test(name));
  if (extra !== undefined)
    throw new PretrainedDirectoryError(
      dir,
      `its weights have a tensor '${extra}' that the model of config.json does not have`,
      'do config.json and the weights belong together?',
    );
  return parameters;
}
