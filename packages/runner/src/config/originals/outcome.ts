// Defines the entries of the tables in agentgym.ts and archer.ts, which translate.ts applies to a command line: a key of another
// program becomes other keys here, has no effect, or is refused.

/** The facts of a run that decide what another program's key means in it. */
export interface RunFacts {
  readonly task: string;
  /** The algorithm's name; null if the config names no registered one. */
  readonly algorithm: string | null;
  /** The environment's name; null if the config names no registered one. */
  readonly env: string | null;
  /** Whether the algorithm learns from a dataset, so that it counts in epochs. */
  readonly isOnDataset: boolean;
  /** Whether the environment is played on a server or site. */
  readonly isRemote: boolean;
  /** Whether a chat endpoint plays. */
  readonly isEndpoint: boolean;
  /** Returns whether the run reads a key, such as `env.max_turns`. */
  reads(path: string): boolean;
  /** Whether a file contains conversations. */
  hasConversations(path: string): boolean;
  /**
   * Parses AgentGym's path of an epoch's model, `RUN/train_epoch_2`, into the run, the epoch and the run's number of epochs.
   * Returns null for any other path, and for one that exists.
   */
  epochOf(path: string): { run: string; epoch: number; epochs: number } | null;
  /** Whether the command line gives the key itself. */
  isGiven(key: string): boolean;
}

export type Outcome =
  | {
      /** The overrides that replace the key. */
      words: readonly string[];
      /** A line about an effect of these overrides that a user would not expect. */
      note?: string;
      /** Environment variables to set. */
      env?: Readonly<Record<string, string>>;
    }
  | { nothing: string }
  | { refused: string }
  /** The key is one of this program, and its run checks it. */
  | 'ours';

/** @param value the text after `=`, which may be a sweep */
export type Meaning = (value: string, facts: RunFacts) => Outcome;

/** Makes a meaning: the key is replaced by the first of these keys that the run reads. */
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

/** Makes a meaning that differs between evaluations and other tasks. */
export const by =
  (evaluating: Meaning, training: Meaning): Meaning =>
  (value, facts) =>
    (facts.task === 'evaluate' ? evaluating : training)(value, facts);

/** Removes the quotes of the command line's grammar from a value. */
export const plain = (value: string): string => value.replace(/^(['"])(.*)\1$/s, '$2');

export const isTrue = (value: string): boolean => /^(true|yes|on|1)$/i.test(plain(value));

export const each = (value: string, change: (one: string) => string): string => value.split(',').map(change).join(',');
