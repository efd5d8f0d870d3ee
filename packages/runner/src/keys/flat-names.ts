// Reads the flat names of options (names without their config node, which version 0.2, ArCHer and AgentGym use) from
// configs/flat-names.json. `npm run option-files` writes that file from the schemas, so that a command line need not load the
// schemas of all tasks, algorithms and environments.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FlatNames } from '@bowyer/config';

export const FLAT_NAMES = 'flat-names.json';

/** The folder that contains `configs` and `experiments`: that of the published package, or the root of a git checkout. */
const runner = resolve(import.meta.dirname, '..', '..');
export const shippedRoot = existsSync(join(runner, 'configs')) ? runner : resolve(runner, '..', '..');

export const flatNames = JSON.parse(readFileSync(join(shippedRoot, 'configs', FLAT_NAMES), 'utf8')) as FlatNames;
