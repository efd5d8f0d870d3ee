// Marks long tests, which start many processes or train for long. The check runs a short form of each, and `npm run
// test:exhaustive` the whole; CONTRIBUTING.md lists what each short form leaves out.
import { when, type Tests } from './when.js';

const variable = 'BOWYER_EXHAUSTIVE';

/** Returns whether the long forms are to run. */
export const isExhaustive = (): boolean => Boolean(process.env[variable]);

/** Returns `test` and `describe` for tests that only run in the long form. */
export const whenExhaustive = (): Tests =>
  when(isExhaustive(), `${variable} is not set (long tests, see CONTRIBUTING.md)`);
