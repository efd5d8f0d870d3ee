// Defines the type of the translations in agentgym.ts and archer.ts, which translate.ts applies to a command line: a key of
// another program is replaced by keys of Bowyer, has no effect, or is refused.

/** The facts about a run on which the translation of another program's keys depends. */
export interface RunFacts {
  readonly task: string;
  /** Null if the config names no registered algorithm. */
  readonly algorithm: string | null;
  /** Null if the config names no registered environment. */
  readonly env: string | null;
  /** Whether the algorithm learns from a dataset, so that the length of the run is counted in epochs. */
  readonly isOnDataset: boolean;
  /** Whether the environment runs on a server or website and not in this process. */
  readonly isRemote: boolean;
  /** Whether the actions come from a model behind a chat endpoint. */
  readonly isEndpoint: boolean;
  /** Returns whether the run's schema has a key, such as `env.max_turns`. */
  reads(path: string): boolean;
  hasConversations(path: string): boolean;
  /** Parses AgentGym's path of a model that was saved after an epoch, `RUN/train_epoch_2`; null for other and existing paths. */
  epochOf(path: string): { run: string; epoch: number; epochs: number } | null;
  /** Returns whether the command line gives the key itself. */
  isGiven(key: string): boolean;
}

export type Outcome =
  | {
      /** The overrides that replace the key of another program. */
      words: readonly string[];
      /** A line for the log about an effect of the overrides that a user would not expect. */
      note?: string;
      /** Environment variables to set, for a value such as an API key. */
      env?: Readonly<Record<string, string>>;
    }
  | { nothing: string }
  | { refused: string }
  /** The key is Bowyer's, and is validated as such. */
  | 'ours';

/** @param value the text after `=`, which may be a sweep over several values */
export type Meaning = (value: string, facts: RunFacts) => Outcome;

/** Makes a translation that replaces the key by the first of the given keys that the run reads. */
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

/** Makes a translation that differs between evaluations and other tasks. */
export const by =
  (evaluating: Meaning, training: Meaning): Meaning =>
  (value, facts) =>
    (facts.task === 'evaluate' ? evaluating : training)(value, facts);

/** Removes the quotes of Hydra's override grammar from a value. */
export const plain = (value: string): string => value.replace(/^(['"])(.*)\1$/s, '$2');

export const isTrue = (value: string): boolean => /^(true|yes|on|1)$/i.test(plain(value));

export const each = (value: string, change: (one: string) => string): string => value.split(',').map(change).join(',');
