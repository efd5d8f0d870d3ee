// Compares our command line with every recorded one of the real Hydra (fixtures, area cli): exit codes, printed configs, job lists,
// tables, completion answers and the files that a run writes.
import { newFolder } from '@bowyer/testing';
import { commandLineAnswer, commandLineProblems } from './recorded-command-line.js';
import { recordedCases, type RecordedCase } from './recorded-case.js';

const cases = recordedCases('command line');
let root = '';

beforeEach(() => {
  root = newFolder();
});

test.each(cases.map((one): [string, RecordedCase] => [one.id, one]))('%s', async (_, one) => {
  const ours = await commandLineAnswer(one, root);
  const answers = [one.expect.cli!, ...(one.expect_next ? [one.expect_next.cli!] : [])];
  const found = answers.map((theirs) => commandLineProblems(ours, theirs, one.argv!));
  if (!found.some((problems) => problems.length === 0)) throw new Error(found[0]!.join('\n'));
});
