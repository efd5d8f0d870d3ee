import type { ProgressOutput } from '@bowyer/logging';

/** What the command line gives to a task besides its config. */
export interface TaskContext {
  /** The run's folder. */
  directory: string;
  /** The resolved config as YAML, for the report. */
  configYaml: string;
  output: ProgressOutput;
  /** Registers what to do when the user asks to stop (Ctrl-C, SIGTERM). */
  onInterrupt(stop: () => void): void;
}
