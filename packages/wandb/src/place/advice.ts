/** Remedies that errors and warnings name, in the words of the program around this package. */
export interface Advice {
  /** How to keep a run on disk where there is no key, and to send it later. */
  offline: string;
  /** How to avoid a folder that holds another W&B run. */
  otherRun: string;
  /** Returns the command that sends the run in a folder. */
  sync: (folder: string) => string;
}

export const ADVICE: Advice = {
  offline: 'set WANDB_MODE=offline, and send the run later with: npx bowyer-wandb sync FOLDER',
  otherRun: 'leave out WANDB_RUN_ID, or begin in another folder',
  sync: (folder) => `npx bowyer-wandb sync ${folder}`,
};
