// Serves a language model over HTTP, in all protocols. Answers are whole or streamed, and many are generated at the same time.
// When it stops, it finishes the answers in progress.
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
  /** The model's tokenizer, which the template must use too, since long texts are encoded in steps. */
  tokenizer: SteppedTokenizer;
  /** The name that clients use for the model. */
  name: string;
  /** The chat template; null to refuse chats. */
  template: ChatTemplate | null;
  /** Makes the template that a request contains, with the tokenizer above; if not given, requests with a template are refused. */
  templateOf?: (source: string) => ChatTemplate;
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** The key that clients must send as a bearer token or as `x-api-key`; null for none. */
  apiKey: string | null;
  /** Tokens that end an answer in addition to those of the model and the template. */
  terminatorIds?: readonly number[];
  /** The seed of the answers to requests without one. */
  seed: number;
  /** Changes of logits that depend on the text so far; a request may set another repetition penalty. None if not given. */
  rules?: LogitRules;
  /** Whether answers to chats are split into reasoning, content and tool calls. False if not given: the whole text is content. */
  splitsMessages?: boolean;
  /** Bounds of the stored responses; 1,000 responses and 64 MiB if not given. */
  storage?: StorageLimits;
  /** The values of settings that a request does not have. */
  defaults: RequestReader['defaults'];
  /** Adapters, for a model that was loaded with space for them (its `adapterBank`). */
  adapters?: Omit<ServedAdapters, 'registry'> & {
    /** The adapters to load before the server listens: folders by name. */
    given: Readonly<Record<string, string>>;
  };
  /** Whether requests for any model name are answered, such as those of agents that were written for another model. False if not given. */
  answersAnyName?: boolean;
  /** The observer of all calls; none if not given. */
  observer?: CallObserver;
  /** Further protocols, which may use the engine; none if not given. */
  protocols?: (engine: ServedEngine) => readonly Protocol[] | Promise<readonly Protocol[]>;
  /** Receives faults of the server, which the client sees as status 500. */
  onFault?: (error: Error) => void;
}

/** The parts of the server that generate answers, for further protocols. */
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

  /** Returns the base URL for clients, up to the version. */
  get url(): string {
    return this.server.url;
  }

  /** Returns the number of tokens in the memory for ended prompts and answers; 0 without one. */
  get prefixCacheTokens(): number {
    return this.batcher.prefixCacheTokens;
  }

  /** Changes the model's weights between two answers: those in progress are finished first, and the next ones wait. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.batcher.changeWeights(apply);
  }

  /** Accepts no further request, finishes the answers in progress, and frees the cache. It does not close the model. */
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

/** Returns how a template writes calls, which is determined at the first request with tools. */
function callStyles(tokenizer: SteppedTokenizer): (template: ChatTemplate) => CallStyle | null {
  const known = new WeakMap<ChatTemplate, { style: CallStyle | null }>();
  return (template) => {
    const found = known.get(template) ?? { style: callStyle(template, tokenizer) };
    known.set(template, found);
    return found.style;
  };
}
