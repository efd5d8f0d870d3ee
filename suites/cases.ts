// Makes the results of cases, and reads and writes what they compare.
import type { CaseResult } from './suite.js';

/** Returns the result of a case. @param failure what is wrong, if anything */
export const caseOf = (name: string, failure: string | null): CaseResult =>
  failure === null ? { name, outcome: 'passed' } : { name, outcome: 'failed', detail: failure.slice(0, 500) };

/** Returns the result of a case. @param failure finds what is wrong; its error is a failure too */
export async function triedCase(
  name: string,
  failure: () => string | null | Promise<string | null>,
): Promise<CaseResult> {
  try {
    return caseOf(name, await failure());
  } catch (error) {
    return caseOf(name, (error as Error).message);
  }
}

/** Reads a text with JSON on each line. */
export const jsonLines = <Value>(text: string): Value[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Value);

/** Writes a value with sorted keys; Infinity becomes the word that Python's JSON writes. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (member === Infinity) return 'Infinity';
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
