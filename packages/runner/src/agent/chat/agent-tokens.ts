// Finds the tokens that end an utterance of the agent, and the tokens that are masked when the agent samples.
import type { Tokenizer } from '@bowyer/text';
import type { NodePart } from '../keys/agent-keys.js';
import { answerTokens, hasEnvironment, type EnvironmentConfig } from '../environment/environment.js';

/**
 * Lists the tokens that end an utterance. The first one is appended to demonstrated utterances, so that training scores it.
 *
 * @throws if `eos_str` is not one token of this tokenizer
 */
export function terminatorIds(
  tokenizer: Tokenizer,
  { sampling: { eosStr } }: NodePart<'sampling', 'eosStr'>,
): number[] {
  const endOfText = tokenizer.eosTokenId >= 0 ? [tokenizer.eosTokenId] : [];
  if (eosStr === null) return endOfText;
  const ids = tokenizer.encode(eosStr);
  if (ids.length !== 1) {
    throw new Error(
      `sampling.eos_str ${JSON.stringify(eosStr)} is ${ids.length} tokens of this policy's tokenizer; it must be one\n` +
        '  use a text that is one token, such as a newline, or sampling.eos_str=null for the end-of-text token alone\n' +
        '  a newline is sampling.eos_str: "\\n" in YAML; on a command line, where quotes keep backslashes, sampling.eos_str=$\'"\\n"\' (bash, zsh)',
    );
  }
  return [ids[0], ...endOfText];
}

/**
 * Lists the tokens that are masked when the agent samples, in addition to padding: the token for unknown words, and the
 * environment's own answers. Without an environment no token is masked.
 */
export function maskedTokenIds(tokenizer: Tokenizer, config: Partial<EnvironmentConfig>): number[] {
  if (!hasEnvironment(config)) return [];
  const answers = answerTokens(config).flatMap((answer) => {
    const ids = tokenizer.encode(answer);
    return ids.length === 1 ? ids : [];
  });
  const unknownWord = tokenizer.tokenToId('<unk>');
  return unknownWord === undefined ? answers : [unknownWord, ...answers];
}
