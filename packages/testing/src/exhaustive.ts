// Tests that take long because they start many processes or train for long. The check runs a short form of each, and
// `npm run test:exhaustive` all of it; CONTRIBUTING.md says what each short form leaves out.
import { when, type Tests } from './when.js';

const variable = 'BOWYER_EXHAUSTIVE';

/** Returns whether the long forms run. */
export const isExhaustive = (): boolean => Boolean(process.env[variable]);

/** Returns `test` and `describe` for what the check leaves out. */
export const whenExhaustive = (): Tests =>
  when(isExhaustive(), `${variable} is not set (long tests, see CONTRIBUTING.md)`);
