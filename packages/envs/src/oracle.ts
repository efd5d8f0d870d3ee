// Defines the oracles of the guessing games, which answer the agent's questions: the game's rules, a neural network or a chat
// server. This package cannot create networks, so that its caller creates such an oracle and passes it in (`EnvParts`).

import { choice, text } from '@bowyer/core';
import type { OptionsOf } from './option.js';

/** Answers questions about the secret of a game. @typeParam Secret its name, or a row of a table, as the oracle reads it */
export interface Oracle<Secret = string> {
  /** The oracle's id, which is recorded with every result, since scores under different oracles are not comparable. */
  readonly id: string;
  /** Answers in free text, which the game normalises. Calls may overlap, so that an oracle can answer several in a batch. */
  answer(secret: Secret, question: string): string | Promise<string>;
}

/** The prompt for ArCHer's fine-tuned Flan-T5 oracle. There is no space between secret and question, as in its training data. */
export interface T5OraclePrompt {
  prompt: (secret: string, question: string) => string;
  maxNewTokens: number;
}

export interface ChatOraclePrompt {
  system: string;
  secret: (name: string) => string;
  /** The largest number of tokens of the oracle's answer, which is that of ArCHer's oracle models. */
  maxTokens: number;
}

/** The prompts of a game for each kind of oracle, by the value of the option `oracle`. */
export interface OraclePrompts {
  t5?: T5OraclePrompt;
  openai?: ChatOraclePrompt;
}

/** Objects that an environment gets in addition to its options, which can only be JSON. */
export interface EnvParts {
  /** The oracle that answers questions instead of the game's rules. */
  oracle?: Oracle;
}

/** The options that select an oracle, which each guessing game adds to its own. */
export const oracleProperties = {
  oracle: choice(
    ['rules', 't5', 'openai'],
    'rules',
    "Who answers: 'rules' (this project's own, no model), 't5' (a fine-tuned Flan-T5, as in ArCHer), 'openai' (a chat server).",
  ),
  oracleModel: text(
    null,
    "oracle t5: folder of the model (ArCHer's env_load_path); oracle openai: the model's name. null: none, for oracle rules.",
  ),
  oracleUrl: text(
    null,
    'oracle openai: address of the server up to the version, such as http://127.0.0.1:8000/v1; null: none.',
  ),
} as const;

export type OracleOptions = OptionsOf<{ properties: typeof oracleProperties }>;

export const oracleOptionNames = ['oracle', 'oracleModel', 'oracleUrl'] as const;

/** ArCHer's own name for the option with the folder of its Flan-T5 oracle, which a config may use too. */
export const oracleNames = { env_load_path: 'oracleModel' } as const;

export const oracleReadWith = { oracleModel: { oracle: ['t5', 'openai'] }, oracleUrl: { oracle: ['openai'] } } as const;

/** The error for a guessing game whose options select an oracle that its caller has not passed in. */
class MissingOracleError extends Error {
  override readonly name = 'MissingOracleError';

  constructor(env: string, oracle: string) {
    super(
      `${env}: the option oracle is '${oracle}', but no oracle was given\n` +
        `  makeEnv('${env}', options, { oracle }) takes one; the command line makes it from oracle_model`,
    );
  }
}

/** Returns the oracle that the caller has passed in; undefined if the options select the game's rules. */
export function chosenOracle(
  env: string,
  { oracle: kind }: OracleOptions,
  { oracle }: EnvParts,
): Oracle<{ readonly name: string }> | undefined {
  if (kind === 'rules') return undefined;
  if (oracle === undefined) throw new MissingOracleError(env, kind);
  return {
    id: oracle.id,
    answer: async ({ name }, question) =>
      heard(await oracle.answer(name, question), { env, oracle: oracle.id, question }),
  };
}

/** Throws unless the answer is a text: the game would normalise anything else to an answer such as 'No.', without an error. */
function heard(answer: unknown, { env, oracle, question }: { env: string; oracle: string; question: string }): string {
  if (typeof answer === 'string' && answer.trim() !== '') return answer;
  const said = typeof answer === 'string' ? 'a text without a word' : `${typeof answer} in place of a text`;
  throw new Error(`${env}: the oracle ${oracle} answered ${JSON.stringify(question)} with ${said}`);
}
