// A supervised start from a file of conversations: a given model, or a small fresh one, learns what the assistant says there.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { learnedTokens, type Demonstration, type Metrics } from '@bowyer/algorithms';
import { hash32, Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import {
  cutRight,
  LanguageModel,
  templateTokens,
  wordLevelTokenizer,
  type ChatMessage,
  type ChatTemplate,
  type EncodedConversation,
} from '@bowyer/models';
import { agentTokens } from './agent-tokens.js';
import { builtInPolicy } from './built-in-policy.js';
import { loadChatTemplate } from './chat-setup.js';
import { isConversationFile, readConversations } from './conversations.js';
import { makeDemonstrations, vocabularyTexts } from './environments.js';
import { imitateInto, type Imitation } from './imitate-into.js';
import { loadPolicy } from './policy-setup.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

export const learnsFromConversations = ({ demonstrations }: RunConfig): boolean =>
  isConversationFile(demonstrations.path);

/** What decides the start beside what decides every warm start. */
export function conversationRecipe(config: RunConfig): Record<string, unknown> {
  const { chatTemplate, upstreamLossMask, useLora, lora, quantization, playAsChat } = config;
  if (!learnsFromConversations(config)) return playAsChat ? { playAsChat, chatTemplate, upstreamLossMask } : {};
  const base = givenModel(config);
  const adapters = useLora ? { lora, quantization } : {};
  return { base: base && stampOf(base), chatTemplate, upstreamLossMask, ...adapters };
}

const givenModel = ({ checkpointPath, policyLm }: RunConfig): string | null => checkpointPath ?? policyLm;

/** A folder and when its weights were written. */
function stampOf(folder: string): unknown[] {
  const names = ['model.safetensors', 'model.safetensors.index.json', 'adapter_model.safetensors'];
  const times = names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? null);
  return [folder, ...times];
}

type ImitationContext = Pick<TaskContext, 'log' | 'progress' | 'onInterrupt'>;

/** Leaves a trained policy in `folder`: a given model, or a fresh one. @returns false if the user stopped it */
export async function imitateConversations(
  config: RunConfig,
  device: Device,
  context: ImitationContext,
  folder: string,
): Promise<boolean> {
  const isFile = learnsFromConversations(config);
  const conversations = isFile
    ? await readConversations(config.demonstrations.path!)
    : (await makeDemonstrations(config)).demonstrations.map(asConversation);
  const base = isFile ? givenModel(config) : null;
  const policy = base
    ? await loadPolicy(base, config, device, 'train')
    : await freshModel(config, device, conversations);
  try {
    return await imitateThroughTemplate({ policy, folder, title: 'conversations' }, conversations, config, context);
  } finally {
    await policy.release();
  }
}

/** Behaviour cloning on what the assistant says in conversations, as the chat template writes them. */
export async function imitateThroughTemplate(
  imitation: Imitation,
  conversations: readonly (readonly ChatMessage[])[],
  config: RunConfig,
  context: ImitationContext,
): Promise<boolean> {
  const { policy } = imitation;
  const { log } = context;
  const { epochs } = config.warmStart;
  const onEpoch = (epoch: number, figures: Metrics) =>
    log(`epoch ${epoch + 1} of ${epochs}: ${figures['losses/nll'].toFixed(4)} nats a token`);
  const template = await loadChatTemplate(config, policy.tokenizer);
  const encoded = encodeAll(conversations, template, policy.contextLength, log);
  return imitateInto({ ...imitation, onEpoch }, { kind: 'conversations', conversations: encoded }, config, context);
}

/** An episode as it is played through a template: what the environment says are the user's messages, up to the last action. */
export function asConversation({ opening, turns }: Demonstration): ChatMessage[] {
  return turns.flatMap(({ action }, turn) => [
    { role: 'user', content: (turn === 0 ? opening : turns[turn - 1].reply).trim() },
    { role: 'assistant', content: action },
  ]);
}

async function freshModel(
  config: RunConfig,
  device: Device,
  conversations: readonly (readonly ChatMessage[])[],
): Promise<LanguageModel> {
  const { chatTemplate, policy, seed } = config;
  // Words as they stand alone and as they stand in the template's instructions, after a blank.
  const texts = conversations.flatMap((messages) => messages.flatMap(({ content }) => [content, ` ${content}`]));
  const wholeTokens = templateTokens(chatTemplate);
  const known = learnsFromConversations(config)
    ? []
    : [...vocabularyTexts(config)].flatMap((text) => [text, ` ${text}`]);
  const tokenizer = wordLevelTokenizer([...texts, 'system\nuser\nassistant\n', ...known], { wholeTokens });
  return LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds: agentTokens(tokenizer, { ...config, eosStr: null }).maskedTokenIds,
    rng: new Rng(hash32(`${seed}/policy`)),
    config: builtInPolicy(policy, tokenizer.vocabSize),
  });
}

/** Long ones lose their end, as AgentGym cuts; what has nothing to learn from then is left out, and both are told. */
function encodeAll(
  conversations: readonly (readonly ChatMessage[])[],
  template: ChatTemplate,
  longest: number,
  log: TaskContext['log'],
): EncodedConversation[] {
  let cut = 0;
  const encoded = conversations.flatMap((messages) => {
    const whole = template.encodeConversation(messages);
    if (whole.ids.length > longest) cut++;
    const kept = cutRight(whole, longest);
    return kept !== null && learnedTokens(kept) > 0 ? [kept] : [];
  });
  const lost = conversations.length - encoded.length;
  if (cut > 0)
    log(`${cut} conversations are longer than the context of ${longest} tokens and lost their end`, 'WARNING');
  if (lost > 0) log(`${lost} conversations have nothing to learn from and are left out`, 'WARNING');
  if (encoded.length === 0) throw new Error('none of the conversations has an assistant’s message to learn from');
  const tokens = encoded.reduce((sum, { ids }) => sum + ids.length, 0);
  const learnt = encoded.reduce((sum, conversation) => sum + learnedTokens(conversation), 0);
  log(`imitating ${encoded.length} conversations of ${tokens} tokens, ${learnt} of which are learnt`);
  return encoded;
}
