// Every recorded command line of the real Hydra (../shared/conformance/hydra) against runCommandLine.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commandLineAnswer, commandLineProblems } from './recorded-command-line.js';
import { recordedCases, type RecordedCase } from './recorded-case.js';

const cases = recordedCases().filter((one) => one.argv);
let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'bowyer-conformance-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

if (cases.length === 0)
  test.skip('recorded command lines of Hydra (no ../shared/conformance beside the repository)', () => undefined);
else {
  test.each(cases.map((one): [string, RecordedCase] => [one.id, one]))('%s', async (_, one) => {
    const ours = await commandLineAnswer(one, root);
    const found = commandLineProblems(ours, one.expect.cli!, one.argv!);
    if (found.length === 0) return;
    if (one.expect_next && commandLineProblems(ours, one.expect_next.cli!, one.argv!).length === 0) return;
    throw new Error(found.join('\n'));
  });
}
