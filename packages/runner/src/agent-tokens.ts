// Which tokens have a meaning for the agent beyond text.
import type { Tokenizer } from '@bowyer/models';
import type { RunConfig } from './run-config.js';
import { answerTokens } from './environments.js';

export interface AgentTokens {
  /** Tokens that end an utterance; the first is the one that training scores after a demonstration. */
  terminatorIds: number[];
  /** Tokens the agent can never write, besides padding: unknown words and the environment's own answers. */
  maskedTokenIds: number[];
}

/** @throws if `eos_str` is not one token of this tokenizer */
export function agentTokens(tokenizer: Tokenizer, config: RunConfig): AgentTokens {
  const terminatorIds = tokenizer.eosTokenId >= 0 ? [tokenizer.eosTokenId] : [];
  if (config.eosStr !== null) {
    const ids = tokenizer.encode(config.eosStr);
    if (ids.length !== 1) {
      throw new Error(
        `eos_str ${JSON.stringify(config.eosStr)} is ${ids.length} tokens of this policy's tokenizer; it must be one\n` +
          '  use a text that is one token, such as a newline, or eos_str=null for the end-of-text token alone\n' +
          '  a newline is eos_str: "\\n" in YAML; on a command line, where quotes keep backslashes, eos_str=$\'"\\n"\' (bash, zsh)',
      );
    }
    terminatorIds.unshift(ids[0]);
  }
  const answers = answerTokens(config).flatMap((answer) => {
    const ids = tokenizer.encode(answer);
    return ids.length === 1 ? ids : [];
  });
  const unknownWord = tokenizer.tokenToId('<unk>');
  return { terminatorIds, maskedTokenIds: unknownWord === undefined ? answers : [unknownWord, ...answers] };
}
