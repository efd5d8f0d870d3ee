// Makes a policy that is trained from scratch: a small model whose vocabulary is the words of its training data.
import { hash32, Rng, type Demonstration } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { templateTokens, wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import type { ImitationData } from '../demonstrations/imitation-data.js';
import { answerTokens, spelling, vocabularyTexts, type EnvironmentConfig } from '../environment/environment.js';
import { keptTemplate } from '../chat/chat-setup.js';
import { maskedTokenIds } from '../chat/agent-tokens.js';
import { builtInPolicy } from './built-in-policy.js';

export type FreshPolicyConfig = EnvironmentConfig &
  Pick<AgentConfig, 'seed' | 'policy'> &
  NodePart<'sampling', 'eosStr'> &
  // The template is optional, since a run whose policy reads plain text has none.
  Partial<NodePart<'chat', 'template'>>;

/**
 * Makes a policy that is trained from scratch. If it learns dialogues, their chat template is saved with it, as with a pretrained
 * policy.
 */
export async function freshPolicy(
  data: ImitationData,
  config: FreshPolicyConfig,
  device: Device,
): Promise<LanguageModel> {
  const template = data.kind === 'episodes' ? null : await keptTemplate(config.chat!.template, {});
  const tokenizer = tokenizerFor(data, config, template);
  return LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds: maskedTokenIds(tokenizer, config),
    rng: new Rng(hash32(`${config.seed}/policy`)),
    config: builtInPolicy(config.policy, tokenizer.vocabSize),
  });
}

function tokenizerFor(data: ImitationData, config: FreshPolicyConfig, chatTemplate: string | null): Tokenizer {
  if (data.kind === 'episodes') {
    // The vocabulary must contain the text that ends an utterance, even if no demonstration does.
    const texts = [...data.demonstrations.flatMap(pieces), config.sampling.eosStr ?? '', ...vocabularyTexts(config)];
    return wordLevelTokenizer(texts, { wholeTokens: answerTokens(config), ...spelling(config) });
  }
  // Each word is added without and with a space before it, since both forms occur in the texts that the chat template writes.
  const both = (text: string) => [text, ` ${text}`];
  const texts = data.conversations.flatMap(({ messages }) =>
    messages.flatMap(({ content }) => (typeof content === 'string' ? both(content) : [])),
  );
  const known = data.file !== null ? [] : [...vocabularyTexts(config)].flatMap(both);
  const wholeTokens = templateTokens(config.chat!.template);
  return wordLevelTokenizer([...texts, 'system\nuser\nassistant\n', ...known], {
    wholeTokens,
    chatTemplate,
    ...spelling(config),
  });
}

/**
 * Lists the texts of an episode that are tokenized separately: an action's first word must not be joined with the text before it.
 */
function pieces({ opening, turns }: Demonstration): string[] {
  return [opening, ...turns.flatMap(({ action, reply, nextObservation = '' }) => [action, reply, nextObservation])];
}
