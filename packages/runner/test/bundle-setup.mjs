// Before the tests: the command in a few files, which they start hundreds of times. It is removed when jest ends.
import { isStale } from '../bin/is-stale.js';

export default async function bundle() {
  if (isStale()) return; // the command then runs its sources
  const { bundledProgram } = await import('../../testing/dist/bundled-program.js');
  process.env.BOWYER_TEST_PROGRAM = await bundledProgram();
}
