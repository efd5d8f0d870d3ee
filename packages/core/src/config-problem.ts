/** A problem of a config that is valid by its schema, but cannot run or would waste the run. */
export interface ConfigProblem {
  /** The key with the problem, as written in a config, such as `env.base_url`; its file and line are added to the message. */
  key?: string;
  message: string;
  /** The setting to write instead; empty if the message says it. */
  remedy: string;
}

export const oneProblem = (key: string, message: string, remedy: string): ConfigProblem[] => [{ key, message, remedy }];
