// Gives all tests of a run one folder for temporary files, which is removed at the end; tests need not remove theirs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'bowyer-tests-'));
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
