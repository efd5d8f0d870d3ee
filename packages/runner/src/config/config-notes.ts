// Collects notes on how keys of the command line and of files were translated; the run logs each once.
import type { Composition, PrepareContext } from '@bowyer/config';
import type { ImpliedContext } from './implied-rule.js';

export class ConfigNotes {
  /** A line for each key of another program, with the overrides that replace it. */
  readonly ofCommandLine: string[] = [];
  /** A line for each file from which the algorithm was guessed. */
  readonly ofFiles = new Set<string>();
  /** Overrides that follow from other keys, with the reason. */
  readonly implied = new Map<string, string>();

  /** Returns the notes on one config; in a sweep each job has its own. */
  of({ overrides, flatUses }: Composition): string[] {
    const implied = overrides.flatMap(({ text }) => {
      const why = this.implied.get(text);
      return why === undefined ? [] : [`${text}, since ${why}`];
    });
    const flat = flatUses.map(({ name, path }) => `${name} is ${path}`);
    return [...this.ofFiles, ...this.ofCommandLine, ...implied, ...new Set(flat)];
  }
}

/** Makes the context of the rules for implied keys. @param shipped folders of the program's own configs */
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
