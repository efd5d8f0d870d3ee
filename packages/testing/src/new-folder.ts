import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder, which is removed with all others when the tests have ended. @returns its path without links */
export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'test-')));
