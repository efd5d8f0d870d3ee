/** Something in a config that its schema allows, and that cannot run or would waste the run. */
export interface ConfigProblem {
  /** The key at fault as it is written in a config, such as `env.base_url`; its file and line are added to the message. */
  key?: string;
  message: string;
  /** What to write instead; empty where the message says it. */
  remedy: string;
}
