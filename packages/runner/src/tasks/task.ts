import type { EnvParts } from '@bowyer/envs';
import type { ProgressOutput } from '@bowyer/logging';

/** What the command line gives to a task besides its config. */
export interface TaskContext {
  /** The run's folder. */
  directory: string;
  /** The resolved config as YAML, for the report. */
  configYaml: string;
  /** What happened: to the terminal and to run.log. */
  log(message: string, level?: 'INFO' | 'WARNING'): void;
  /** Results: to standard output as they are. */
  print(text: string): void;
  /** What environments are given beside their options. */
  envParts: EnvParts;
  /** Where progress bars go. */
  progress: ProgressOutput;
  /**
   * Registers what to do when the user asks to stop (Ctrl-C, SIGTERM), and what the user is then told; null: nothing, the
   * process ends at once, as it does from the beginning. A second time it ends at once in any case.
   */
  onInterrupt(stop: (() => void) | null, announcement?: string): void;
}
