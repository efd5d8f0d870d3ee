// Implements task=serve_model: serves a language model over OpenAI's HTTP protocol, until the user stops it.
import { openDevice, type Device } from '@bowyer/graph';
import { environmentNames } from '@bowyer/envs';
import {
  isEncoderDirectory,
  loadTextModel,
  openAdapterDirectory,
  SentenceEncoder,
  Seq2SeqModel,
  type LanguageModel,
} from '@bowyer/models';
import { ChatTemplateError, loadTokenizer, type ChatTemplate, type Tokenizer } from '@bowyer/text';
import { EmbeddingServer, ModelServer, SteppedTokenizer, type ModelServerOptions } from '@bowyer/serving';
import { findAlgorithm } from '@bowyer/algorithms';
import type { OptionsOf } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';
import { maskedTokenIds, terminatorIds } from '../../agent/chat/agent-tokens.js';
import { chatTemplateOf, loadChatTemplate } from '../../agent/chat/chat-setup.js';
import { textRules } from '../../agent/chat/text-rules.js';
import type { EnvironmentConfig } from '../../agent/environment/environment.js';
import { modelNameOf } from '../../agent/folders/model-folders.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import type { writerOptions } from '../../agent/keys/model-keys.js';
import { checkTerminator } from '../../agent/policy/check-text-rules.js';
import { deviceOf, type DeviceConfig } from '../../agent/policy/device-choice.js';
import type { TaskContext } from '../../context/task-context.js';
import { keyOf } from '../server-key.js';
import type { TaskConfig } from '../task.js';
import type { modelServerOptions, serveModelOptions } from './unit.js';
import { adapterBankOf, announceRoom, servedAdapters, type AdapterConfig } from './served-adapters.js';
import { followRun } from './follow-run.js';
import { openTraffic } from './record-traffic.js';
import { runOf } from '../../run/recorded-config.js';

/** The options of a model server, which several tasks start. */
export type ServerOptions = TaskConfig<TObject<typeof modelServerOptions>, 'model'>['task'];

export type ServeConfig = DeviceConfig &
  Pick<AgentConfig, 'seed' | 'sampling' | 'chat'> & {
    task: ServerOptions & AdapterConfig & Partial<OptionsOf<TObject<typeof writerOptions>>>;
  };

type ServeModelConfig = ServeConfig & TaskConfig<typeof serveModelOptions, 'model'>;

export async function serveModel(config: ServeModelConfig, { print, log, onInterrupt }: TaskContext): Promise<void> {
  const { model: dir, follow, prefixCacheMb } = config.task;
  warnOfParts(dir, log);
  const apiKey = keyOf(config.task);
  await checkTerminator(dir, config);
  const stopped = new Promise<void>((resolve) =>
    onInterrupt(resolve, 'the server stops when the current answers are finished'),
  );
  const device = await openDevice(deviceOf(config));
  let traffic: Awaited<ReturnType<typeof openTraffic>> = null;
  try {
    if (await isEncoderDirectory(dir)) return await serveEncoder({ config, device, apiKey, stopped }, { print, log });
    const model = await loadDecoder(dir, config, device);
    announceRoom(model, log);
    const options = await serverOptions(config, model, log);
    traffic = await openTraffic(config.task, options.name, log);
    const server = await ModelServer.listen({ ...options, ...traffic?.options });
    const takeUp = async (folder: string, checkpoint: number) => {
      const weights = await weightsOf(folder, model, config, device);
      await server.changeWeights(() => model.restoreParameters(weights, folder));
      if (traffic) traffic.options.observer.version = checkpoint;
      log(`checkpoint ${checkpoint} of ${follow} is served`);
    };
    const follower = follow === null ? null : followRun(follow, takeUp, ({ message }) => log(message, 'WARNING'));
    log(prefixCacheText(prefixCacheMb, server.prefixCacheTokens));
    print(`${dir} is served at ${server.url} (Ctrl-C stops it)\n`);
    await stopped;
    await follower?.stop();
    await server.close();
    print('stopped: every answer is finished\n');
  } finally {
    await traffic?.close();
    await device.close();
  }
}

/** Converts the config to the options of the model server in @bowyer/serving. */
export async function serverOptions(
  config: ServeConfig,
  model: LanguageModel,
  log: TaskContext['log'],
): Promise<ModelServerOptions> {
  const { task, seed, sampling } = config;
  const { temperature, topK, topP, maxNewTokens } = sampling;
  const { model: dir, host, port, slots, maxQueued, servedName } = task;
  const tokenizer = new SteppedTokenizer(model.tokenizer);
  return {
    model,
    tokenizer,
    host,
    port,
    slots,
    maxQueued,
    prefixCacheBytes: task.prefixCacheMb * 2 ** 20,
    seed,
    apiKey: keyOf(task),
    splitsMessages: task.splitMessages,
    name: servedName ?? modelNameOf(dir),
    template: await templateOf(tokenizer, config, log),
    ...(task.trustRequestChatTemplate && { templateOf: (source) => chatTemplateOf(source, tokenizer, config) }),
    rules: await textRules(dir, model, sampling),
    terminatorIds: sampling.eosStr === null ? [] : terminatorIds(model.tokenizer, config),
    defaults: { temperature: sampling.doSample ? temperature : 0, topK, topP, maxTokens: maxNewTokens },
    adapters: servedAdapters(dir, task, log),
    storage: { responses: task.storedResponses, bytes: task.storedResponsesMb * 2 ** 20 },
    onFault: (error) => log(error.stack ?? error.message, 'WARNING'),
  };
}

/** @param tokens the number of tokens that fit into the cache */
function prefixCacheText(mb: number, tokens: number): string {
  if (mb === 0)
    return 'prefix cache: none (task.prefix_cache_mb=0); a beginning that a prompt shares with an earlier one is computed again, unless a slot still has it';
  if (tokens > 0)
    return `prefix cache: ${mb} MiB (task.prefix_cache_mb), room for ${tokens.toLocaleString('en')} tokens`;
  return `prefix cache: none; task.prefix_cache_mb=${mb} has no effect for models with recurrent layers, with device.kind=webgpu, and where 32 tokens need more`;
}

interface EncoderToServe {
  config: ServeConfig;
  device: Device;
  apiKey: string | null;
  stopped: Promise<void>;
}

async function serveEncoder(
  { config, device, apiKey, stopped }: EncoderToServe,
  { print, log }: Pick<TaskContext, 'print' | 'log'>,
): Promise<void> {
  const { model: dir, host, port, maxQueued, servedName } = config.task;
  const encoder = await SentenceEncoder.load(device, dir);
  const name = servedName ?? modelNameOf(dir);
  const onFault = (error: Error) => log(error.stack ?? error.message, 'WARNING');
  const server = await EmbeddingServer.listen({ encoder, name, host, port, apiKey, maxQueued, onFault });
  print(`${dir}, an encoder, is served at ${server.url}: POST /v1/embeddings (Ctrl-C stops it)\n`);
  await stopped;
  await server.close();
  await encoder.release();
  print('stopped: every answer is finished\n');
}

/**
 * Warns if the served model is the policy of an agent that was trained to act with a memory or a critic, since the policy alone
 * acts differently.
 */
function warnOfParts(dir: string, log: TaskContext['log']): void {
  const { algorithm, memory } = runOf(dir) ?? {};
  if (memory !== undefined && memory.kind !== 'none')
    log(
      `${dir} was trained with memory=${memory.kind}, which requests without episodes do not have; see docs/memory.md`,
      'WARNING',
    );
  if (algorithm?.name === undefined || !findAlgorithm(algorithm.name)?.playsWithCritic) return;
  log(`${dir} was trained by ${algorithm.name}, which acts with its critic; its policy alone is served`, 'WARNING');
}

/**
 * Loads a decoder. If it was trained as an agent in an environment, the same tokens are masked as in its training; for other
 * models no token is masked.
 */
export async function loadDecoder(dir: string, config: ServeConfig, device: Device): Promise<LanguageModel> {
  const { quantization, packedDecoding, contextLength, slots } = config.task;
  const run = runOf(dir);
  const isAgent = run?.algorithm?.name !== undefined && environmentNames().includes(run.env?.name ?? '');
  const model = await loadTextModel({
    device,
    dir,
    quantization,
    packedDecoding: packedDecoding ?? undefined,
    slots,
    masksPadding: isAgent,
    adapterBank: adapterBankOf(config.task),
    ...(isAgent && { maskedTokenIds: await maskedInRun(dir, run as EnvironmentConfig) }),
    ...(contextLength !== null && { contextLength }),
  });
  if (!(model instanceof Seq2SeqModel)) return model;
  throw new Error(`task=serve_model: ${dir} is an encoder-decoder; models that chat are decoders\n  use task=generate`);
}

async function maskedInRun(dir: string, run: EnvironmentConfig): Promise<number[]> {
  const { baseDir } = await openAdapterDirectory(dir);
  return maskedTokenIds(await loadTokenizer(baseDir), run);
}

/**
 * Loads a newer policy of the followed run and returns the parameters that training has changed: all of them, or those of the
 * adapters. The architecture is that of the served model.
 */
async function weightsOf(
  folder: string,
  served: LanguageModel,
  config: ServeConfig,
  device: Device,
): Promise<Awaited<ReturnType<LanguageModel['copyParameters']>>> {
  const newer = await loadDecoder(folder, config, device);
  try {
    if (newer.hasAdapters !== served.hasAdapters)
      throw new Error(
        `task.follow: ${folder} is ${newer.hasAdapters ? 'an adapter' : 'a whole model'}, and ${config.task.model} is not\n` +
          '  serve what the run has begun with, or one of its checkpoints: task.model=RUN',
      );
    return await newer.copyParameters();
  } finally {
    await newer.release();
  }
}

/** Loads the chat template; null if neither the model nor the config has one, so that the server can only complete texts. */
async function templateOf(
  tokenizer: Tokenizer,
  config: ServeConfig,
  log: TaskContext['log'],
): Promise<ChatTemplate | null> {
  try {
    return await loadChatTemplate(config, tokenizer);
  } catch (error) {
    if (!(error instanceof ChatTemplateError) || config.chat.template !== null) throw error;
    log(`/v1/chat/completions is not served, only /v1/completions: ${error.message}`, 'WARNING');
    return null;
  }
}
