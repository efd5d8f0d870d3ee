/** Remedies in messages, which the program that uses this package gives in terms of its own options and commands. */
export interface Advice {
  /** How to log to disk without an API key, and send the run later. */
  offline: string;
  /** How to avoid a folder that already contains another W&B run. */
  otherRun: string;
  /** Returns the command that sends the run in a folder to W&B's server. */
  sync: (folder: string) => string;
}

export const ADVICE: Advice = {
  offline: 'set WANDB_MODE=offline, and send the run later with: npx bowyer-wandb sync FOLDER',
  otherRun: 'leave out WANDB_RUN_ID, or begin in another folder',
  sync: (folder) => `npx bowyer-wandb sync ${folder}`,
};
