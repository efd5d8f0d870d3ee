// The outcome of a key of another program in a run here: other keys, no effect, or a refusal. The tables of such keys are in
// agentgym.ts and archer.ts; translate.ts applies them to a command line.

/** The facts of the run that a key is given to. */
export interface RunFacts {
  readonly task: string;
  /** Null where the config names none that is registered. */
  readonly algorithm: string | null;
  /** Null where the config names none that is registered. */
  readonly env: string | null;
  /** Whether the algorithm learns from a dataset, so that it counts in epochs. */
  readonly isOnDataset: boolean;
  /** Whether the environment is played on a server or site. */
  readonly isRemote: boolean;
  /** Whether a chat endpoint plays. */
  readonly isEndpoint: boolean;
  /** Whether the run reads a key, as `env.max_turns`. */
  reads(path: string): boolean;
  /** Whether a file contains conversations. */
  hasConversations(path: string): boolean;
  /**
   * Reads a path in AgentGym's form for the model of one epoch, `RUN/train_epoch_2`: the run, and how many epochs it has. Null for any
   * other path, and for one that exists.
   */
  epochOf(path: string): { run: string; epoch: number; epochs: number } | null;
  /** Whether the command line gives the key itself. */
  isGiven(key: string): boolean;
}

export type Outcome =
  | {
      /** The words that take the place of the key. */
      words: readonly string[];
      /** A line about an effect of these words that a user would not expect. */
      note?: string;
      /** Variables of the environment. */
      env?: Readonly<Record<string, string>>;
    }
  | { nothing: string }
  | { refused: string }
  /** It is a key of ours, and the run itself says who reads it. */
  | 'ours';

/** @param value the text after `=`, which may be a sweep */
export type Meaning = (value: string, facts: RunFacts) => Outcome;

/** Makes a key another name of the first of these keys that the run reads. */
export const to =
  (...keys: readonly string[]): Meaning =>
  (value, facts) => {
    const key = keys.find((candidate) => facts.reads(candidate));
    return key === undefined
      ? { refused: `it is ${keys[0]}, which this run does not read` }
      : { words: [`${key}=${value}`] };
  };

export const nothing =
  (why: string): Meaning =>
  () => ({ nothing: why });

export const refused =
  (remedy: string): Meaning =>
  () => ({ refused: remedy });

/** Chooses one outcome in an evaluation and another one elsewhere. */
export const by =
  (evaluating: Meaning, training: Meaning): Meaning =>
  (value, facts) =>
    (facts.task === 'evaluate' ? evaluating : training)(value, facts);

/** Removes the quotes of the command line's grammar from a value. */
export const plain = (value: string): string => value.replace(/^(['"])(.*)\1$/s, '$2');

export const isTrue = (value: string): boolean => /^(true|yes|on|1)$/i.test(plain(value));

/** Changes each value of a sweep such as `1,2`. */
export const each = (value: string, change: (one: string) => string): string => value.split(',').map(change).join(',');
