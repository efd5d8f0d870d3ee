// A supervised start from a file of conversations: a given model, or a small fresh one, learns what the assistant says there.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { conversationBc, learntTokens, type Metrics } from '@bowyer/algorithms';
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
import { imitateInto } from './imitate-into.js';
import { loadPolicy } from './policy-setup.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

export const learnsFromConversations = ({ demonstrations }: RunConfig): boolean =>
  isConversationFile(demonstrations.path);

/** What decides the start beside what decides every warm start. */
export function conversationRecipe(config: RunConfig): Record<string, unknown> {
  const { chatTemplate, upstreamLossMask, useLora, lora, quantization } = config;
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

/** Leaves the trained policy in `folder`. @returns false if the user stopped it */
export async function imitateConversations(
  config: RunConfig,
  device: Device,
  context: Pick<TaskContext, 'log' | 'progress' | 'onInterrupt'>,
  folder: string,
): Promise<boolean> {
  const { log } = context;
  const { epochs } = config.warmStart;
  const onEpoch = (epoch: number, figures: Metrics) =>
    log(`epoch ${epoch + 1} of ${epochs}: ${figures['losses/nll'].toFixed(4)} nats a token`);
  const conversations = await readConversations(config.demonstrations.path!);
  const policy = await startingModel(config, device, conversations);
  try {
    const template = await loadChatTemplate(config, policy.tokenizer);
    const encoded = encodeAll(conversations, template, policy.contextLength, log);
    const options = { ...config.warmStart, seed: config.seed };
    return await imitateInto({ policy, folder, title: 'conversations', onEpoch }, config, context, (hooks) =>
      conversationBc({ policy, conversations: encoded, ...hooks }, options),
    );
  } finally {
    await policy.release();
  }
}

async function startingModel(
  config: RunConfig,
  device: Device,
  conversations: readonly (readonly ChatMessage[])[],
): Promise<LanguageModel> {
  const base = givenModel(config);
  if (base !== null) return loadPolicy(base, config, device, 'train');
  const { chatTemplate, policy, seed } = config;
  // Words as they stand alone and as they stand in the template's instructions, after a blank.
  const texts = conversations.flatMap((messages) => messages.flatMap(({ content }) => [content, ` ${content}`]));
  const wholeTokens = templateTokens(chatTemplate);
  const tokenizer = wordLevelTokenizer([...texts, 'system\nuser\nassistant\n'], { wholeTokens });
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
    return kept !== null && learntTokens(kept) > 0 ? [kept] : [];
  });
  const lost = conversations.length - encoded.length;
  if (cut > 0)
    log(`${cut} conversations are longer than the context of ${longest} tokens and lost their end`, 'WARNING');
  if (lost > 0) log(`${lost} conversations have nothing to learn from and are left out`, 'WARNING');
  if (encoded.length === 0) throw new Error('none of the conversations has an assistant’s message to learn from');
  const tokens = encoded.reduce((sum, { ids }) => sum + ids.length, 0);
  const learnt = encoded.reduce((sum, conversation) => sum + learntTokens(conversation), 0);
  log(`imitating ${encoded.length} conversations of ${tokens} tokens, ${learnt} of which are learnt`);
  return encoded;
}
