/** Remedies that errors and warnings name, in the words of the program around this package. */
export interface Advice {
  /** How a run is kept on disk where there is no key, and sent later. */
  offline: string;
  /** How a folder that holds another W&B run is avoided. */
  otherRun: string;
  /** The command that sends the run in a folder. */
  sync: (folder: string) => string;
}

export const ADVICE: Advice = {
  offline: 'set WANDB_MODE=offline, and send the run later with: npx bowyer-wandb sync FOLDER',
  otherRun: 'leave out WANDB_RUN_ID, or begin in another folder',
  sync: (folder) => `npx bowyer-wandb sync ${folder}`,
};
