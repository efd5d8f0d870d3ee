// Serves a language model over HTTP in all API protocols. A server that stops finishes the answers in progress.
import { Rng } from '@bowyer/core';
import { type LanguageModel, type LogitRules, noLogitRules } from '@bowyer/models';
import type { ChatTemplate } from '@bowyer/text';
import { AdapterRegistry } from '../adapters/adapter-registry.js';
import { SequenceBatcher, type SequenceBatcherOptions } from '../engine/sequence-batcher.js';
import { AnswerConstraints } from '../generation/answer-constraints.js';
import { answerEnds } from '../generation/answer-ends.js';
import type { RequestReader } from '../generation/completion-request.js';
import { runCompletion } from '../generation/completion-run.js';
import type { SteppedTokenizer } from '../generation/stepped-tokenizer.js';
import type { CallObserver } from '../protocols/call-observer.js';
import type { Generator, Protocol, ServedAdapters, StorageLimits } from '../protocols/protocol.js';
import { loadAdapter } from '../protocols/adapters/adapters.js';
import { protocolsOf } from '../protocols/protocols.js';
import { seconds } from '../protocols/seconds.js';
import { callStyle, type CallStyle } from '../tool-calls/call-style.js';
import { ProtocolServer } from './protocol-server.js';

export interface ModelServerOptions extends SequenceBatcherOptions {
  model: LanguageModel;
  /** Encodes long texts in steps. The chat template must have been made with it, so that the template does too. */
  tokenizer: SteppedTokenizer;
  /** The name that clients use for the model. */
  name: string;
  /** If it is null, requests for chats are refused. */
  template: ChatTemplate | null;
  /** Makes a template, with the tokenizer above, from a request's source. If not given, requests with one are refused. */
  templateOf?: (source: string) => ChatTemplate;
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** The key that clients must send as a bearer token or as `x-api-key`; null for none. */
  apiKey: string | null;
  /** Ids of tokens that end an answer, in addition to those of the model and the template. */
  terminatorIds?: readonly number[];
  /** The seed of the random numbers for answers to requests without a seed. */
  seed: number;
  /** Rules that change logits depending on the text so far; a request may set another repetition penalty. None if not given. */
  rules?: LogitRules;
  /** Whether answers to chats are split into reasoning, content and tool calls. False if not given: the whole text is content. */
  splitsMessages?: boolean;
  /** The limits for responses that the Responses API stores; 1,000 responses and 64 MiB if not given. */
  storage?: StorageLimits;
  /** The settings that apply to a request without them. */
  defaults: RequestReader['defaults'];
  /** The settings for LoRA adapters; only for a model that was loaded with memory for them (its `adapterBank`). */
  adapters?: Omit<ServedAdapters, 'registry'> & {
    /** The folders of the adapters to load before the server listens, by the adapters' names. */
    given: Readonly<Record<string, string>>;
  };
  /** Whether unknown model names are answered too, such as of agents written for another model. False if not given. */
  answersAnyName?: boolean;
  /** The observer of all model calls, such as a recorder; none if not given. */
  observer?: CallObserver;
  /** Returns further protocols, which may generate answers with the server's engine; none if not given. */
  protocols?: (engine: ServedEngine) => readonly Protocol[] | Promise<readonly Protocol[]>;
  /** Receives errors of the server, which the client sees as status 500. */
  onFault?: (error: Error) => void;
}

/** The objects of the server that generate answers, for further protocols. */
export interface ServedEngine {
  batcher: SequenceBatcher;
  adapters: AdapterRegistry;
  generator: Generator;
}

const usualStorage: StorageLimits = { responses: 1000, bytes: 64 * 2 ** 20 };

export class ModelServer {
  private constructor(
    private readonly server: ProtocolServer,
    private readonly batcher: SequenceBatcher,
  ) {}

  static async listen(options: ModelServerOptions): Promise<ModelServer> {
    const { model, name, host, port, apiKey, onFault, observer, storage = usualStorage } = options;
    const batcher = await SequenceBatcher.open(model, options);
    const registry = new AdapterRegistry(name, model.adapterBank ?? null);
    const generator = generatorOf(options, batcher, registry);
    const { contextLength } = model;
    const adapters = options.adapters && { ...options.adapters, registry };
    const own = protocolsOf({
      name,
      started: seconds(),
      contextLength,
      storage,
      generator,
      embedder: null,
      adapters,
      observer,
    });
    try {
      const protocols = [...own, ...((await options.protocols?.({ batcher, adapters: registry, generator })) ?? [])];
      for (const [adapter, dir] of Object.entries(adapters?.given ?? {})) await loadAdapter(adapters!, adapter, dir);
      const health = () => batcher.load;
      return new ModelServer(
        await ProtocolServer.listen({ protocols, host, port, apiKey, health, observer, onFault }),
        batcher,
      );
    } catch (error) {
      await batcher.close();
      throw error;
    }
  }

  /** Returns the base URL for clients, which ends with the API's version. */
  get url(): string {
    return this.server.url;
  }

  /** The tokens that the memory for keys and values of ended prompts and answers can hold; 0 without it. */
  get prefixCacheTokens(): number {
    return this.batcher.prefixCacheTokens;
  }

  /** Changes the weights while no answer is in progress: those that have begun finish first, and new ones wait. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.batcher.changeWeights(apply);
  }

  /** Finishes the answers in progress, accepts no further request, and frees the key-value cache. The model stays open. */
  async close(): Promise<void> {
    await this.server.close();
    await this.batcher.close();
  }
}

function generatorOf(options: ModelServerOptions, batcher: SequenceBatcher, adapters: AdapterRegistry): Generator {
  const { model, template, seed, observer, terminatorIds: given = [] } = options;
  const version = observer && (() => observer.version);
  const terminatorIds = answerEnds({ model, template, terminatorIds: given });
  const rng = Rng.forPurpose(seed, 'answers');
  const { tokenizer } = model;
  return {
    reader: {
      ...readerOf(options, terminatorIds),
      answersAnyName: options.answersAnyName,
      adapterNames: () => adapters.adapters.map((adapter) => adapter.name),
    },
    run(request, signal, onPiece, ownRng = rng) {
      const { adapter, release } = adapters.use(request.model);
      const given = { request, adapter, tokenizer, terminatorIds, rng: ownRng, version, signal, onPiece };
      try {
        return runCompletion(batcher, given).finally(release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

function readerOf(options: ModelServerOptions, endIds: readonly number[]): RequestReader {
  const { model, tokenizer, template, templateOf, name, slots, maxQueued, defaults, rules = noLogitRules } = options;
  const { contextLength, architecture, maskedTokenIds } = model;
  return {
    tokenizer,
    template,
    templateOf,
    contextLength,
    vocabSize: architecture.vocabSize,
    name,
    defaults,
    maskedTokenIds,
    maxAnswers: slots + maxQueued,
    rules,
    endIds,
    constraints: new AnswerConstraints(model.tokenizer, endIds, maskedTokenIds),
    callStyle: options.splitsMessages ? callStyles(tokenizer) : undefined,
  };
}

/** Detects how a template writes tool calls, at its first request with tools, and keeps the result. */
function callStyles(tokenizer: SteppedTokenizer): (template: ChatTemplate) => CallStyle | null {
  const known = new WeakMap<ChatTemplate, { style: CallStyle | null }>();
  return (template) => {
    const found = known.get(template) ?? { style: callStyle(template, tokenizer) };
    known.set(template, found);
    return found.style;
  };
}
