/** Something in a config that its schema allows, and that cannot run or would waste the run. */
export interface ConfigProblem {
  /** The key at fault as it is written in a config, such as `env.base_url`; its file and line are added to the message. */
  key?: string;
  message: string;
  /** The setting to write instead; empty if the message says it. */
  remedy: string;
}
