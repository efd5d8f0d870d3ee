import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty temporary folder. All of them are removed when the tests have ended. @returns its path, with links resolved */
export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'test-')));
