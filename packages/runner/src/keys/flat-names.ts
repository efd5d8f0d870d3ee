// Reads the flat names of options, which are those of version 0.2, ArCHer and AgentGym, from configs/flat-names.json. `npm run
// option-files` writes that file from the schemas, so that a command line does not load the schemas of all units.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FlatNames } from '@bowyer/config';

export const FLAT_NAMES = 'flat-names.json';

/** The folder with `configs` and `experiments`: the published package itself, or the root of a checkout. */
const runner = resolve(import.meta.dirname, '..', '..');
export const shippedRoot = existsSync(join(runner, 'configs')) ? runner : resolve(runner, '..', '..');

/** The table of flat names. */
export const flatNames = JSON.parse(readFileSync(join(shippedRoot, 'configs', FLAT_NAMES), 'utf8')) as FlatNames;
