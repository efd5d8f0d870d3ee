// Gives all tests of a run one folder for temporary files, and removes it at the end: no test removes its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'bowyer-tests-'));
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
