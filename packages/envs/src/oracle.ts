// Who answers in the guessing games: the seam between a game and the rules, the network or the server that answers it.
// A network cannot be made here, so whoever makes the environment hands the oracle over (`EnvParts`).

/** @typeParam Secret what is to be guessed, as the oracle reads it; a name unless the oracle looks it up in a table */
export interface Oracle<Secret = string> {
  /** Recorded with every result, since scores under different oracles do not compare. */
  readonly id: string;
  /** Free text, which the game reduces to what its rules allow. Called again before it has answered: oracles may batch. */
  answer(secret: Secret, question: string): string | Promise<string>;
}

/** What an environment is given beside its options, which are JSON. */
export interface EnvParts {
  /** Answers instead of the game's own rules. */
  oracle?: Oracle;
}

/** Options of every game that has an oracle. */
export interface OracleOptions {
  oracle: 'rules' | 't5' | 'openai';
  oracleModel: string | null;
  oracleUrl: string | null;
}

/** The options' JSON Schema, to be spread into a game's own. */
export const oracleProperties = {
  oracle: {
    description:
      "Who answers: 'rules' (this project's own, no model), 't5' (a fine-tuned Flan-T5, as in ArCHer), 'openai' (a chat server).",
    type: 'string',
    enum: ['rules', 't5', 'openai'],
    default: 'rules',
  },
  oracleModel: {
    description:
      "oracle t5: directory of the model; ArCHer's env_load_path where null. oracle openai: the model's name.",
    type: ['string', 'null'],
    default: null,
  },
  oracleUrl: {
    description: 'oracle openai: address of the server up to the version, such as http://127.0.0.1:8000/v1.',
    type: ['string', 'null'],
    default: null,
  },
} as const;

/** An environment's options name an oracle that it was not given. */
export class MissingOracleError extends Error {
  override readonly name = 'MissingOracleError';

  constructor(env: string, oracle: string) {
    super(
      `${env}: the option oracle is '${oracle}', but no oracle was handed over\n` +
        `  makeEnv('${env}', options, { oracle }) takes one; the command line makes it from oracle_model`,
    );
  }
}

/** @returns the oracle that was handed over; undefined where the game's own rules are to answer */
export function chosenOracle(env: string, { oracle }: OracleOptions, parts: EnvParts): Oracle | undefined {
  if (oracle === 'rules') return undefined;
  if (parts.oracle === undefined) throw new MissingOracleError(env, oracle);
  return parts.oracle;
}
