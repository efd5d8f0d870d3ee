/** Remedies that errors and warnings mention, in the terms of the program that uses this package. */
export interface Advice {
  /** How to log to disk without a key, and send the run later. */
  offline: string;
  /** How to avoid a folder that contains another W&B run. */
  otherRun: string;
  /** Returns the command that sends the run in a folder. */
  sync: (folder: string) => string;
}

export const ADVICE: Advice = {
  offline: 'set WANDB_MODE=offline, and send the run later with: npx bowyer-wandb sync FOLDER',
  otherRun: 'leave out WANDB_RUN_ID, or begin in another folder',
  sync: (folder) => `npx bowyer-wandb sync ${folder}`,
};
