// How keys of the command line and of files became the config that runs: each is logged once by the run.
import type { Composition, PrepareContext } from '@bowyer/config';
import type { ImpliedContext } from './implied-rule.js';

export class ConfigNotes {
  /** A line for each key of another program, with the words that have taken its place. */
  readonly ofCommandLine: string[] = [];
  /** A line for each choice that a file leaves open. */
  readonly ofFiles = new Set<string>();
  /** Words that follow from others, with the reason. */
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

/** Makes the context in which rules find what follows from a composition's keys. @param shipped folders of the program's own configs */
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
