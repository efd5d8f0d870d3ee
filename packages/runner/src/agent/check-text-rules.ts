// Whether a policy can write what the config's rules of texts ask for, before demonstrations are made or a model is loaded.
import { loadTokenizer, openAdapterDirectory, templateTokens, wordLevelTokenizer } from '@bowyer/models';
import { answerTokens, spelling } from '../environment/environment.js';
import { terminatorIds } from './agent-tokens.js';
import type { FreshPolicyConfig } from './fresh-policy.js';

/** @param folder of the policy; null: a new one, whose vocabulary has the words of what it learns from */
export async function checkTextRules(
  folder: string | null,
  config: FreshPolicyConfig & { playAsChat: boolean },
): Promise<void> {
  if (folder !== null) {
    const { baseDir } = await openAdapterDirectory(folder);
    terminatorIds(await loadTokenizer(baseDir), config);
    return;
  }
  const wholeTokens = config.playAsChat ? templateTokens(config.chatTemplate) : answerTokens(config);
  terminatorIds(wordLevelTokenizer([config.eosStr ?? ''], { wholeTokens, ...spelling(config) }), config);
}
