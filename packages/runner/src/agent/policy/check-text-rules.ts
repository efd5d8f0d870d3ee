// Checks that a policy can write the tokens that `sampling.eos_str` and the other rules for texts in the config need. It is done
// before demonstrations are made or a model is loaded.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openAdapterDirectory } from '@bowyer/models';
import { loadTokenizer, templateTokens, wordLevelTokenizer } from '@bowyer/text';
import type { NodePart } from '../keys/agent-keys.js';
import { answerTokens, spelling } from '../environment/environment.js';
import { terminatorIds } from '../chat/agent-tokens.js';
import type { FreshPolicyConfig } from './fresh-policy.js';

/** @param folder of the policy's model; null: a policy from scratch, whose vocabulary has the words of its data */
export async function checkTextRules(
  folder: string | null,
  config: FreshPolicyConfig & NodePart<'play', 'asChat'>,
): Promise<void> {
  if (folder !== null) return checkTerminator(folder, config);
  const wholeTokens = config.play.asChat ? templateTokens(config.chat!.template) : answerTokens(config);
  terminatorIds(wordLevelTokenizer([config.sampling.eosStr ?? ''], { wholeTokens, ...spelling(config) }), config);
}

/** Checks that `eos_str` is one token of the tokenizer in a folder. An encoder-decoder without a tokenizer is not checked here. */
export async function checkTerminator(folder: string, config: NodePart<'sampling', 'eosStr'>): Promise<void> {
  if (config.sampling.eosStr === null) return;
  const { baseDir } = await openAdapterDirectory(folder);
  if (existsSync(join(baseDir, 'tokenizer.json'))) terminatorIds(await loadTokenizer(baseDir), config);
}
