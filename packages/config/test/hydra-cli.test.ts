// Every recorded command line of the real Hydra (fixtures, area cli) against ours: exit codes, printed configs, job lists,
// tables, completion answers and the files that a run leaves.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commandLineAnswer, commandLineProblems } from './recorded-command-line.js';
import { recordedCases, type RecordedCase } from './recorded-case.js';

const cases = recordedCases('command line');
let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'bowyer-cli-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each(cases.map((one): [string, RecordedCase] => [one.id, one]))('%s', async (_, one) => {
  const ours = await commandLineAnswer(one, root);
  const answers = [one.expect.cli!, ...(one.expect_next ? [one.expect_next.cli!] : [])];
  const found = answers.map((theirs) => commandLineProblems(ours, theirs, one.argv!));
  if (!found.some((problems) => problems.length === 0)) throw new Error(found[0]!.join('\n'));
});
