// Collects notes for the log on how keys of other programs, on the command line and in config files, were translated; each note
// is logged once.
import type { Composition, PrepareContext } from '@bowyer/config';
import type { ImpliedContext } from './implied-rule.js';

export class ConfigNotes {
  /** A line for each key of another program on the command line, with the overrides that replace it. */
  readonly ofCommandLine: string[] = [];
  /** A line for each config file written for ArCHer to which the algorithm was added. */
  readonly ofFiles = new Set<string>();
  /** Overrides that follow from other keys of the config, each with its reason. */
  readonly implied = new Map<string, string>();

  /** Returns the notes on one composed config. In a sweep each job has its own config. */
  of({ overrides, flatUses }: Composition): string[] {
    const implied = overrides.flatMap(({ text }) => {
      const why = this.implied.get(text);
      return why === undefined ? [] : [`${text}, since ${why}`];
    });
    const flat = flatUses.map(({ name, path }) => `${name} is ${path}`);
    return [...this.ofFiles, ...this.ofCommandLine, ...implied, ...new Set(flat)];
  }
}

/** @param shipped folders of the config files that belong to Bowyer */
export function impliedContext(
  composition: Composition,
  { overrides, purpose }: PrepareContext,
  notes: ConfigNotes,
  shipped: readonly string[],
): ImpliedContext {
  return {
    shipped,
    isTyped: (key) => overrides.some((given) => given.key === key || given.key === composition.pathOf(key)),
    env: process.env,
    mode: purpose === 'sweep' ? 'multirun' : 'run',
    note: (word, why) => notes.implied.set(word, why),
  };
}
